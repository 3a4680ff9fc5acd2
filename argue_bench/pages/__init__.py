"""What does a reader see? Plain data in, static pages out; no git, no keys, no network.

inputs     what a build is handed             data   the same as data/v1/*.json
columns    which scores stand in a table      build      which pages there are; render writes
plots      inline SVG with its table          view/      the report viewer and label mode
"""
