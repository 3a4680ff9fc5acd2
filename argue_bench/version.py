"""The version of the package: a module of its own, so that any layer may say it."""

__version__ = "0.1.0"
