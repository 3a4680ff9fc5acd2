"""The notes below a report of ALCE's metrics."""

from __future__ import annotations

import argue_bench as ab
from argue_bench.published.alce.correctness import closing_lines
from argue_bench.records import Answer, Sentence

ROWS = [{"question": "Where?", "contexts": ["The mill is in Leeds."], "answer": "In Leeds, it is."}]


def test_one_line_says_that_the_rules_read_no_citation_of_any_answer() -> None:
    data, (answer,) = ab.from_rows(ROWS)
    cited = Answer(answer.id, answer.text, (Sentence(answer.text, data.questions[0].documents),))
    metric = "citations(rules=rageval)"
    assert closing_lines(ab.evaluate(data, [cited], [metric])) == [
        f"{metric}: of every answer, rules=rageval reads numbers in brackets alone, and finds none."
    ]
    # Another note, though every answer has it, is no matter of the rules.
    assert closing_lines(ab.evaluate(data, [answer], [metric])) == []
