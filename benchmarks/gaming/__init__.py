"""What games earn, against honest baselines: the tables of benchmarks/README.md.

    python -m benchmarks.gaming [--write] [--questions N] [--set NAME] [--workers N]

On core dev and, where ``../shared`` is at hand, on FanOutQA dev (correctness) and MTRAG (citations,
grounding), every system within the limit of characters. A game (`games`) reads nothing of what the
documents say: it copies, denies, cites or lists; or it searches them (`searches`) and writes no sentence.
``X + Y`` is an honest answer after or before such a text. A score that a board may rank by must not pay
for it: no game may beat the best honest system, and none may add more than a point to an honest answer.
Exits 1 where one does on a score of ours; published measures and ``rules=`` are shown. ``--write`` writes
the tables there, and what games earn to where boards look it up.
"""
