"""What does a store look like inside? One SQLite file with these tables.

``judges``   who gave verdicts: name, identity, and the digest of both
``texts``    long texts (documents, reports), each once, however many asks hold it
``asks``     what was asked, by key; long texts are referred to
``verdicts`` one a judge and ask, in the order in which they came, with the raw request and reply
``failures`` asks that got no verdict, with the last reason; they are asked again next time
``models``   who wrote replies: name, identity, and the digest of both
``replies``  what a model wrote, by model, request and attempt, with the raw request and reply

Version 1 had no models and no replies; such a file gets them when it is next written to.
"""

from __future__ import annotations

VERSION = 2
APPLICATION = 0x61726762  # "argb", so that ``file`` and we tell a store from any other SQLite file

_VERDICTS = """
CREATE TABLE judges (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT NULL, identity TEXT NOT NULL
);
CREATE TABLE texts (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, text TEXT NOT NULL);
CREATE TABLE asks (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, body TEXT NOT NULL
);
CREATE TABLE verdicts (
    id INTEGER PRIMARY KEY, judge INTEGER NOT NULL REFERENCES judges, ask INTEGER NOT NULL
    REFERENCES asks, value NOT NULL, note TEXT NOT NULL, request TEXT NOT NULL, reply TEXT NOT NULL,
    UNIQUE (judge, ask)
);
CREATE TABLE failures (
    judge INTEGER NOT NULL REFERENCES judges, ask INTEGER NOT NULL REFERENCES asks,
    reason TEXT NOT NULL, times INTEGER NOT NULL, request TEXT NOT NULL, reply TEXT NOT NULL,
    PRIMARY KEY (judge, ask)
) WITHOUT ROWID;
"""
_REPLIES = """
CREATE TABLE models (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT NULL, identity TEXT NOT NULL
);
CREATE TABLE replies (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, model INTEGER NOT NULL REFERENCES models,
    purpose TEXT NOT NULL, attempt INTEGER NOT NULL, text TEXT NOT NULL, finish TEXT NOT NULL,
    tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, price REAL, request TEXT NOT NULL,
    reply TEXT NOT NULL
);
"""
TABLES = (_VERDICTS, _REPLIES)
"""What each version added to the one before it."""

ADD_REPLY = "INSERT OR IGNORE INTO replies VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
FIND_REPLY = "SELECT text, finish, tokens_in, tokens_out, price FROM replies WHERE key = ?"
ALL_REPLIES = """
SELECT key, digest, purpose, attempt, text, finish, tokens_in, tokens_out, price, request, reply
FROM replies JOIN models ON models.id = replies.model ORDER BY replies.id
"""

ADD_VERDICT = "INSERT OR IGNORE INTO verdicts VALUES (NULL, ?, ?, ?, ?, ?, ?)"
ADD_FAILURE = """
INSERT INTO failures VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT (judge, ask) DO UPDATE SET
reason = excluded.reason, times = times + 1, request = excluded.request, reply = excluded.reply
"""
FIND = """
SELECT asks.key, value, note FROM asks CROSS JOIN verdicts ON verdicts.ask = asks.id
WHERE verdicts.judge = ? AND asks.key IN ({marks})
"""
# CROSS tells SQLite to begin with the keys; left to itself it reads every verdict of the judge.
ENTRIES = """
SELECT asks.key, asks.kind, asks.body, judges.digest, value, note, request, reply
FROM verdicts JOIN asks ON asks.id = verdicts.ask JOIN judges ON judges.id = verdicts.judge
ORDER BY verdicts.id
"""
MISSED = """
SELECT asks.key, asks.kind, asks.body, judges.digest, times, reason, request, reply
FROM failures JOIN asks ON asks.id = failures.ask JOIN judges ON judges.id = failures.judge
ORDER BY failures.judge, failures.ask
"""
