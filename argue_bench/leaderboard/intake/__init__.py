"""A pull request, read as git objects: one system's files, copied to a bundle or refused."""
