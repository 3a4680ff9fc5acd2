"""Numbers that other programs gave, and ours beside them."""
