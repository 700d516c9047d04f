"""What is known of the customer being served, on every screen: what waits, and their day."""
