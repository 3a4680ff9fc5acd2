"""Each branch of ARGUE's tree, by hand."""

from __future__ import annotations

import pytest

from argue_bench.metrics.argue.tree import (
    PRESETS,
    Classified,
    NuggetMatch,
    Rules,
    SentenceOutcome,
    SentenceVerdicts,
    classify_sentence,
)

ONE = (NuggetMatch(0, 0),)
DEFAULT = PRESETS["default"]
AUTO = PRESETS["auto-argue"]


@pytest.mark.parametrize(
    ("verdicts", "rules", "classified"),
    [
        (
            SentenceVerdicts(cited=True, attested=True, answers=ONE),
            DEFAULT,
            Classified(SentenceOutcome.SUPPORTED, ONE),
        ),
        (
            SentenceVerdicts(cited=True, attested=True),
            DEFAULT,
            Classified(SentenceOutcome.SUPPORTED),
        ),
        (
            SentenceVerdicts(cited=True, answers=ONE),
            DEFAULT,
            Classified(SentenceOutcome.UNSUPPORTED),
        ),
        (
            SentenceVerdicts(cited=True, answers=ONE),
            AUTO,
            Classified(SentenceOutcome.UNSUPPORTED, ONE),
        ),
        (
            SentenceVerdicts(cited=False, needs_citation=False),
            DEFAULT,
            Classified(SentenceOutcome.IGNORED),
        ),
        (
            SentenceVerdicts(cited=False, needs_citation=False, first=False),
            DEFAULT,
            Classified(SentenceOutcome.IGNORED),
        ),
        (SentenceVerdicts(cited=False), DEFAULT, Classified(SentenceOutcome.UNCITED)),
        (SentenceVerdicts(cited=False, answers=ONE), AUTO, Classified(SentenceOutcome.UNCITED)),
        (SentenceVerdicts(cited=False, first=False), DEFAULT, Classified(SentenceOutcome.REPEATED)),
        (
            SentenceVerdicts(cited=False, negative=True, confirms=(2,)),
            DEFAULT,
            Classified(SentenceOutcome.NEGATIVE_CONFIRMED, confirmed=(2,)),
        ),
        (
            SentenceVerdicts(cited=False, negative=True),
            DEFAULT,
            Classified(SentenceOutcome.NEGATIVE_UNCONFIRMED),
        ),
        (
            SentenceVerdicts(cited=False, negative=True, confirms=(2,)),
            AUTO,
            Classified(SentenceOutcome.UNCITED),
        ),
        (
            SentenceVerdicts(cited=True, attested=True, negative=True),
            DEFAULT,
            Classified(SentenceOutcome.SUPPORTED),
        ),
    ],
)
def test_a_branch_ends_on_its_classified(
    verdicts: SentenceVerdicts, rules: Rules, classified: Classified
) -> None:
    assert classify_sentence(verdicts, rules) == classified


def test_only_two_outcomes_are_rewarded_and_two_are_left_aside() -> None:
    assert {outcome for outcome in SentenceOutcome if outcome.rewarded} == {
        SentenceOutcome.SUPPORTED,
        SentenceOutcome.NEGATIVE_CONFIRMED,
    }
    assert {outcome for outcome in SentenceOutcome if not outcome.scored(DEFAULT)} == {
        SentenceOutcome.IGNORED,
        SentenceOutcome.REPEATED,
    }
    cited_only = PRESETS["auto-argue-paper"]
    assert {outcome for outcome in SentenceOutcome if outcome.scored(cited_only)} == {
        SentenceOutcome.SUPPORTED,
        SentenceOutcome.UNSUPPORTED,
    }
