"""The page on which people accept, edit, merge and weight nuggets, and the server that saves it."""

from argue_bench.pages.edit.page import edit_page
from argue_bench.pages.edit.server import EditServer

__all__ = ["EditServer", "edit_page"]
