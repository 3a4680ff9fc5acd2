"""Boards and seasons: begin one, seal its gold, reveal it at the end."""
