"""The commands of a board: for organisers, its workflows and participants."""
