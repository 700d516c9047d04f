"""An attacker who may run any SQL and read everything, but hasn't the writer's key."""
