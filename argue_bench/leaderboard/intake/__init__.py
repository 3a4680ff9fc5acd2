"""A pull request becomes a bundle of one system's files, or is refused."""
