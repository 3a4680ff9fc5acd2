"""Files of a site that other programs read, each from the same data as its pages.

exports    a board as CSV, the feed, badges        cards     a picture of a board for links to it
citing     citations, Dataset records, sitemap     exchange  the forms in which others collect scores
"""
