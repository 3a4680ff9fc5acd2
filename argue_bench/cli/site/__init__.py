"""The command that builds a board's pages."""
