"""The files of a board: season, submission, bundle, result, ledger, outcome."""
