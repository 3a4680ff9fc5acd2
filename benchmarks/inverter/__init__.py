"""How far core can be gamed: a program that runs the public patterns backwards, and what it scores.

    python -m benchmarks.inverter

It reads what any system may read, a question and its documents, and knows what is public: the domains and
the English patterns. Each pattern becomes a regular expression with groups for subject and value; a sentence
that fits one, with a value of the right kind, is a fact. It says what it found in the words of a pattern and
cites the document; it calls unknown what was asked and not found. It has no model and no gold, and reads no
French. The table, of benchmarks/README.md, has its scores on a season with and without a private pack.

`reading` is the program, `patterns` the expressions; `reports` lets the oracle judge what it says.
"""
