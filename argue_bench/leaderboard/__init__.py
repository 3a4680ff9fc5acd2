"""The leaderboard: everything that happens to a submission, from the participant's folder to a
row of the board.

1. ``formats``     what every file holds: metadata, season, bundle, outcome, result, ledger
2. ``signing``     Ed25519 signatures of results; gold sealed with a key
3. ``submitting``  the maker checks a folder of answers and sends it as one commit
4. ``intake``      a pull request is read as git objects, never checked out; its files become a bundle
5. ``scoring``     the bundle is scored against hidden gold, within quota and ladder, and signed
6. ``seasons``     the organiser founds a board, seals a season, and opens it at the end
7. ``publishing``  the outcome is verified and recorded, the comment written, the board assembled

Each folder imports only those above it in this list. ``cli/board`` calls them as the steps of the
workflows: intake, score, record, comment, fetch. `board fetch` leaves one folder with submissions and
results; `argue_bench.pages.inputs` reads it, ``pages/data.py`` makes the rows of the board from it, and
``pages/build.py`` writes the site.
"""
