"""Programs of published work that the vectors alone run; the package has no use for them."""
