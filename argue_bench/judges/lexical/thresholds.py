"""Every number that decides a verdict of the lexical judge.

Changing one changes verdicts: raise ``RULES``, which is part of the judge's identity.
"""

from __future__ import annotations

from typing import Final

RULES: Final = "2"

# Letters of a word that count: 'design', 'designed', 'designer' are alike (McNamee 2004).
PREFIX: Final = 5
# Sentences of a source that may support a sentence together.
WINDOW: Final = 3
# Values of a sentence up to which they may lie apart in the sources.
SCATTERED: Final = 6
# Places of a source that are looked at closely, those with most words in common first.
BEST: Final = 6

# How many words a name counts for.
TYPED: Final = 3.0
# How many a value counts for that is hardly met by chance: 1,260, 6.71 m, 3 May 1931.
TELLING: Final = 4.0
# How many a small number or a year counts for.
SMALL: Final = 2.0
# Share of a sentence that a place must hold where nothing typed of it was found.
ENTAILS_BARE: Final = 0.6
# The same where a value or name of it was found.
ENTAILS_TYPED: Final = 0.45
# The same where source and sentence differ in language and no telling value was found.
ENTAILS_ABROAD: Final = 0.2
# Relative difference up to which a figure may be rounded: 'about 1,300' for 1,290.
HEDGED: Final = 0.06

# Share of an answer's words that a sentence must hold where nothing typed is in it.
ANSWER_WORDS: Final = 0.6
# The same where all its numbers, dates and names were found.
ANSWER_TYPED_WORDS: Final = 0.0
# Share of the question's words that a sentence must hold where the answer alone says little.
TOPIC: Final = 0.15

SUPPORTS_FULL: Final = 0.75
SUPPORTS_PARTIAL: Final = 0.35
# Share of the question's words that one sentence of a document must hold for the grade 2.
GRADE_PART: Final = 0.6
# Share of a sentence's words that one earlier sentence holds where it says nothing new.
SAID_BEFORE: Final = 0.6
# Earlier sentences that are looked at for a word, value or name; an honest report has no more.
EARLIER: Final = 64
# Share of the question's words in a sentence that says something is unknown.
CONFIRMS: Final = 0.25
# Content words below which a sentence states nothing.
FEW_WORDS: Final = 2
# Distinct values, and as many names, that are read of one sentence; no honest one has more.
MOST_VALUES: Final = 200
