"""A whole deployment driven from one seed, beside a model of it that shares none of its rules."""
