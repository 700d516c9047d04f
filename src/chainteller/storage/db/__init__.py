"""The one road to the database: statements as text, and what runs them."""
