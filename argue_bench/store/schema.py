"""The tables of a store, which is one SQLite file.

``judges``    who gave verdicts: name, identity, and the digest of both
``texts``     long texts (documents, reports), each once, however many requests contain it
``requests``  judge requests, by key; long texts are references to ``texts``
``verdicts``  one for each judge and request, in the order in which they came, with the raw prompt and reply
``failures``  requests without a verdict, with the last reason; they are asked again next time
``models``    who wrote replies: name, identity, and the digest of both
``replies``   replies of models, by model, prompt and attempt, with the raw texts sent and received
"""

from __future__ import annotations

VERSION = 3
APPLICATION = 0x61726762  # "argb", which tells a store from any other SQLite file

TABLES = """
CREATE TABLE judges (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT NULL, identity TEXT NOT NULL
);
CREATE TABLE texts (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, text TEXT NOT NULL);
CREATE TABLE requests (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, body TEXT NOT NULL
);
CREATE TABLE verdicts (
    id INTEGER PRIMARY KEY, judge INTEGER NOT NULL REFERENCES judges, request INTEGER NOT NULL
    REFERENCES requests, value NOT NULL, note TEXT NOT NULL, prompt TEXT NOT NULL, reply TEXT NOT NULL,
    UNIQUE (judge, request)
);
CREATE TABLE failures (
    judge INTEGER NOT NULL REFERENCES judges, request INTEGER NOT NULL REFERENCES requests,
    reason TEXT NOT NULL, times INTEGER NOT NULL, prompt TEXT NOT NULL, reply TEXT NOT NULL,
    PRIMARY KEY (judge, request)
) WITHOUT ROWID;
CREATE TABLE models (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT NULL, identity TEXT NOT NULL
);
CREATE TABLE replies (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, model INTEGER NOT NULL REFERENCES models,
    purpose TEXT NOT NULL, attempt INTEGER NOT NULL, text TEXT NOT NULL, finish TEXT NOT NULL,
    tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, price REAL, sent TEXT NOT NULL,
    received TEXT NOT NULL
);
"""
