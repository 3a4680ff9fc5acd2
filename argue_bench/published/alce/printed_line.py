"""The line of figures that ALCE's evaluator prints, from our report of the same metrics."""

from __future__ import annotations

from argue_bench.eval.report import Report

# ALCE's names, in its order, to our full keys; options but the rules (a judge's name) are left out.
NAMES = {
    "length": "length(rules=alce).words",
    "str_em": "str_em(rules=alce).recall",
    "str_hit": "str_em(rules=alce).hit",
    "rougeLsum": "rouge_lsum(rules=alce).fscore",
    "QA-EM": "qa(rules=alce).em",
    "QA-F1": "qa(rules=alce).f1",
    "QA-Hit": "qa(rules=alce).hit",
    "mauve": "mauve(rules=alce).score",
    "citation_rec": "citations(rules=alce).recall",
    "citation_prec": "citations(rules=alce).precision",
    "claims_nli": "claims(rules=alce).recall",
    "qampari_prec": "qampari(rules=alce).precision",
    "qampari_rec": "qampari(rules=alce).recall",
    "qampari_rec_top5": "qampari(rules=alce).recall_top5",
    "qampari_f1": "qampari(rules=alce).f1",
    "qampari_f1_top5": "qampari(rules=alce).f1_top5",
}


def table_line(report: Report) -> str:
    """``ALCE: length 57.00  str_em 41.20 ...``: what was scored by its rules; empty if nothing was.

    A figure that does not apply is left out, where ALCE prints 0 or NaN.
    """
    found = {_by_rules(key): score.value for key, score in report.scores.items()}
    # In ALCE's order, so that two lines can be laid one above the other.
    figures = []
    for name, key in NAMES.items():
        if (value := found.get(key)) is not None:
            shown = value if name == "length" else 100 * value
            figures.append(f"{name} {shown:.2f}")
    return "ALCE: " + "  ".join(figures) if figures else ""


def closing_lines(report: Report) -> list[str]:
    """The lines below the scores: notes of the frozen rules, then the line that ALCE prints."""
    return [line for line in (*notes(report), table_line(report)) if line]


def notes(report: Report) -> list[str]:
    """Notes that a frozen rule gives to every answer: that it reads none of their citations."""
    found = []
    for text in report.signature:
        rows = [row.get(text) for row in report.per_question.values()]
        said = {row["recall"].note for row in rows if row and "recall" in row}
        # One line for all: a thousand equal notes in the run file are read by nobody.
        if len(said) == 1 and (note := said.pop()).startswith("rules="):
            found.append(f"{text}: of every answer, {note}.")
    return found


def _by_rules(key: str) -> str:
    """``citations(rules=alce,unit=item).recall`` as ``citations(rules=alce).recall``."""
    metric, _, score = key.rpartition(".")
    name, bracket, options = metric.partition("(")
    rules = [one for one in options.rstrip(")").split(",") if one.startswith("rules=")]
    return f"{name}({rules[0]}).{score}" if bracket and rules else key
