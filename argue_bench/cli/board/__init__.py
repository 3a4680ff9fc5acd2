"""Commands of an organiser, and the workflows' steps."""
