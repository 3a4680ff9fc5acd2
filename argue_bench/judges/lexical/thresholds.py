"""Every number that decides a verdict of the lexical judge.

Changing one changes verdicts: raise ``RULES``, which is part of the judge's identity.
"""

from __future__ import annotations

from typing import Final

RULES: Final = "6"

# Letters of a word that count: 'design', 'designed', 'designer' are alike (McNamee 2004).
PREFIX: Final = 5
# Sentences of a source that may support a sentence together; values up to which they may lie apart.
WINDOW, SCATTERED = 4, 6
# Places of a source that are looked at closely, those with most words in common first.
BEST: Final = 6
# How many words a name counts for; a value that is hardly met by chance (1,260, 6.71 m, 3 May 1931);
# a small number or a year.
NAME, TELLING, SMALL = 3.0, 4.0, 2.0
# Share of a sentence that a place must hold; with a value hardly met by chance; in another language.
ENTAILS, ENTAILS_TELLING, ENTAILS_ABROAD = 0.58, 0.5, 0.2
# Share of what a sentence denies that its likeliest place says, where the two are opposed.
DENIED: Final = 0.34
# Share of an answer's words that a sentence must hold where no value or name is in it.
ANSWER_WORDS: Final = 0.6
# Letters from which an answer may be part of a longer word: 'in 19971', 'byRicky Nelsonin'.
LONG_ANSWER: Final = 4
# Share of the question's words that a sentence must hold where the answer alone says little.
TOPIC: Final = 0.15
# Share of a nugget that a passage must hold.
SUPPORTS_FULL, SUPPORTS_PARTIAL = 0.75, 0.35
# Share of the question's words that one sentence of a document must hold for the grade 2.
GRADE_PART: Final = 0.6
# Share of a sentence's words that one earlier sentence holds where it says nothing new.
SAID_BEFORE: Final = 0.6
# Earlier sentences that are looked at for a word, value or name; an honest report has no more.
EARLIER: Final = 64
# Share of the question's words in a sentence that says something is unknown.
CONFIRMS: Final = 0.25
# Share of the question's words in a sentence that helps to answer it.
HELPS: Final = 0.25
# Characters from which a sentence is too long for a nugget; share of the question's words in a vital one.
LONG_NUGGET, VITAL = 300, 0.5
# Content words below which a sentence states nothing.
FEW_WORDS: Final = 2
# Distinct values, and as many names, that are read of one sentence; no honest one has more.
MOST_VALUES: Final = 200
# Characters of a text by which its language is told.
LANGUAGE: Final = 1000
