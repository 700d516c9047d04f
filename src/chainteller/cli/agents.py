"""Agents: people at desks with keys of their own."""

import click

from chainteller.cli.error_output import Usage, say
from chainteller.cli.open_services import unsigned, writing
from chainteller.cli.options import group, options
from chainteller.cli.output import record
from chainteller.cli.single_calls import add_change, add_list
from chainteller.records.agents import AGENT
from chainteller.service import operations as op
from chainteller.service.models.agents import ApproveAgent, EnrolAgent

_one = click.argument("agent_id", metavar="ID")


@group("agents")
def agents() -> None:
    """People at desks: enrol a machine, approve, list, revoke."""


@agents.command(
    "enroll",
    calls=[op.ENROL_AGENT],
    takes_key=False,
    example=("agents enroll", "agents enroll --name a.brandt"),
)
@click.option("--name", metavar="NAME", help="Your user name; default: desk.operator.")
@click.option("--replace", is_flag=True, help="Make another key where this machine has one.")
def enroll(name: str | None, *, replace: bool) -> None:
    """Make a key on this machine, to be approved by a supervisor.

    The key stays on this machine: in the system's keyring, or in a file of yours.
    """
    from nacl.signing import SigningKey

    from chainteller.desk_keys import DeskKey, desk_key, keep
    from chainteller.domain.agents import public_key_text
    from chainteller.domain.randomness import SystemRandomness

    configured = options().configured
    paths, place = configured.settings.paths, configured.place()
    if not place.remote:
        raise Usage("Here, whoever can read the database works as the user of this machine.")
    if not replace and (own := desk_key(paths, place)) is not None:
        raise Usage(f"This machine is {own.agent_id}; --replace makes another key.")
    seed = SystemRandomness().bytes(32)
    asked = EnrolAgent(
        name=name or configured.settings.desk.operator_name.lower(),
        public_key=public_key_text(SigningKey(seed).verify_key.encode()),
    )
    with unsigned() as bank:
        enrolled = bank.enrol_agent(asked).value
    keep(paths, place, DeskKey(enrolled.id, seed))
    record(enrolled, AGENT)
    say(f"A supervisor approves it: chainteller agents approve {enrolled.id} --role ROLE")


add_list(
    agents,
    op.AGENTS,
    AGENT,
    "List the keys of people at desks, newest first.",
    example="agents list",
    nothing="nobody is enrolled: chainteller agents enroll",
)


@agents.command(
    "approve",
    calls=[op.APPROVE_AGENT],
    example="agents approve AGT_... --role agent --role reviewer",
)
@_one
@click.option("--role", "roles", multiple=True, metavar="R", help="A role of the policy.")
@click.option("--expires", metavar="90d", help="How long the key is valid; default: no end.")
def approve(agent_id: str, roles: tuple[str, ...], expires: str | None) -> None:
    """Let an agent work. Compare the ID with the one that the agent reads to you.

    The first supervisor is approved by whoever has the database, with --database.
    """
    asked = ApproveAgent(roles=roles, expires=expires)
    with writing() as desk:
        record(desk.approve_agent(agent_id, asked).value, AGENT)


add_change(
    agents,
    "revoke",
    op.REVOKE_AGENT,
    AGENT,
    "End an agent's key at once, as for a lost machine.",
    example="agents revoke AGT_...",
)


COMMANDS = (agents,)
