"""Plain data in, static pages out; without git, keys or network.

inputs     the input of a build                 data      the same as data/v1/*.json
columns    the columns of a table               build     the pages of a site; render writes them
plots      inline SVG with its table            view/     the report viewer and the label page
"""
