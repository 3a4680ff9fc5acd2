"""The board's comment on a pull request, in which no word is a stranger's markup.

Everything that is not our own sentence is in a code span: backticks are taken out, ``@`` and ``#``
are parted from what follows by a zero-width character, so that no person is called and no issue is
referred to. No link, no image, and no line that begins with a stranger's text. It is never longer
than the platform takes.
"""

from __future__ import annotations

from argue_bench.eval.report import short_key
from argue_bench.leaderboard.formats.layout import RUNS
from argue_bench.leaderboard.formats.outcome import StepOutcome
from argue_bench.leaderboard.formats.season import FEWEST_TOLD
from argue_bench.records.display import escape
from argue_bench.records.table import points

# GitHub takes 65,536 characters.
MOST = 60_000
MARK = "<!-- argue-bench: leaderboard -->"
_GONE = "it is not shown any more; its runs stay on record."
_HEADLINES = {
    "ready": "The submission is complete; it waits for the organiser to let it be scored.",
    "none": "No submission is changed here. What is changed is for a review to judge, not for this check.",
    "unchanged": "Scored: no step up. The board stays as it was; leave this unmerged.",
    "outran": "The scoring ended before its score was made. It counts as a run; the board stays as it was.",
    "described": "The answers have been scored already: only the description is new. No run was used.",
    "withdrawn": f"The system is withdrawn: {_GONE}",
    "superseded": f"The system is superseded: {_GONE}",
    "failed": "The scoring failed. No run was used; the organiser can see why.",
}
_ZERO_WIDTH = "\u200b"


def code_span(text: str, most: int = 160) -> str:
    """A stranger's text as a code span; on one line, nothing in it acts."""
    # A backtick would end the code span, and a bar the cell of the table.
    safe = escape(text, most).replace("`", "'").replace("|", "\u2223")
    for char in "@#":
        safe = safe.replace(char, char + _ZERO_WIDTH)
    # What browsers or the platform read across code spans: comments, workflow commands, addresses.
    for pair in ("<!--", "-->", "::", "://"):
        safe = safe.replace(pair, _ZERO_WIDTH.join(pair))
    return f"`{safe.strip() or ' '}`"


def write_comment(outcome: StepOutcome) -> str:
    """Markdown for the pull request that an outcome is of."""
    lines = [MARK, f"**{_headline(outcome)}**", ""]
    if outcome.system:
        about = f"System {code_span(outcome.system)}"
        about += f", season {code_span(outcome.season)}" if outcome.season else ""
        about += f", commit {code_span(outcome.commit[:12])}" if outcome.commit else ""
        lines += [f"{about}.", ""]
    lines += [*_scores(outcome), *_findings(outcome), *_footer(outcome)]
    text = "\n".join(lines)
    if len(text) > MOST:
        text = text[:MOST].rpartition("\n")[0] + "\n\nThe rest was too long for a comment."
    return text + "\n"


def _headline(outcome: StepOutcome) -> str:
    if outcome.step == "record":
        return "Not recorded: the board stays as it was."
    if outcome.state == "scored":
        return "Scored. The row appears when the pull request is merged."
    if outcome.questions is not None:
        few = f"this season has {outcome.questions} questions: no score is told below {FEWEST_TOLD}"
        return f"Scored, but {few}. Leave this unmerged."
    return _HEADLINES.get(outcome.state, "Not scored. Nothing was changed, and no run was used.")


def _scores(outcome: StepOutcome) -> list[str]:
    if not outcome.settings:
        return []
    rows = [
        f"| setting | {code_span(short_key(outcome.ranked))} | 95 % interval |",
        "|---|---|---|",
    ]
    for setting, one in outcome.settings.items():
        if one.moved:
            # A season that tells everything may have a score without an interval: of one question, say.
            bounds = "" if one.low is None else f"{points(one.low)} to {points(one.high)}"
            rows.append(f"| {code_span(setting)} | {points(one.value)} | {bounds} |")
        else:
            why = "no step up" if outcome.questions is None else "not told"
            rows.append(f"| {code_span(setting)} | {why} | |")
    if len({one.moved for one in outcome.settings.values()}) > 1:
        rows += [
            "",
            "Before this is merged: where there is no step up and the board has answers "
            "already, put that file back, and let the pull request be labelled again, which costs no run.",
        ]
    for setting, one in outcome.settings.items():
        if one.scores:
            rows += ["", f"| {code_span(setting)} | score |", "|---|---|"]
            rows += [f"| {code_span(k)} | {points(v)} |" for k, v in one.scores.items()]
    return [*rows, ""]


def _findings(outcome: StepOutcome) -> list[str]:
    if not outcome.findings:
        return []
    rows = ["| | code | where | what |", "|---|---|---|---|"]
    for level, name, where, what in outcome.findings:
        place = code_span(where) if where else ""
        rows.append(f"| {level} | {code_span(name)} | {place} | {code_span(what, 300)} |")
    if outcome.state == "refused" and outcome.step == "intake":
        rows += [
            "",
            "`argue-bench submission check` checks the files at home; the board alone knows the "
            "owners of names and screens the answers (`held`).",
        ]
    return [*rows, ""]


def _footer(outcome: StepOutcome) -> list[str]:
    lines = []
    if outcome.runs and outcome.step == "score" and outcome.state in RUNS:
        of = "in the season" if outcome.quota is None else "that the quota counts"
        most = "" if outcome.quota is None else f" of {outcome.quota}"
        lines.append(f"Scored runs of this author {of}: {outcome.runs}{most}.")
    return [*lines, f"Bundle {code_span(outcome.digest)}."] if outcome.digest else lines
