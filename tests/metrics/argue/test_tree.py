"""Each branch of ARGUE's tree, by hand."""

from __future__ import annotations

import pytest

from argue_bench.metrics.argue import PRESETS, Fate, Leaf, Match, Rules, Said, climb

ONE = (Match(0, 0),)
DEFAULT = PRESETS["default"]
AUTO = PRESETS["auto-argue"]


@pytest.mark.parametrize(
    ("said", "rules", "leaf"),
    [
        (Said(cited=True, attested=True, answers=ONE), DEFAULT, Leaf(Fate.SUPPORTED, ONE)),
        (Said(cited=True, attested=True), DEFAULT, Leaf(Fate.SUPPORTED)),
        (Said(cited=True, answers=ONE), DEFAULT, Leaf(Fate.UNSUPPORTED)),
        (Said(cited=True, answers=ONE), AUTO, Leaf(Fate.UNSUPPORTED, ONE)),
        (Said(cited=False, needs_citation=False), DEFAULT, Leaf(Fate.IGNORED)),
        (Said(cited=False, needs_citation=False, first=False), DEFAULT, Leaf(Fate.IGNORED)),
        (Said(cited=False), DEFAULT, Leaf(Fate.UNCITED)),
        (Said(cited=False, answers=ONE), AUTO, Leaf(Fate.UNCITED)),
        (Said(cited=False, first=False), DEFAULT, Leaf(Fate.REPEATED)),
        (
            Said(cited=False, negative=True, confirms=(2,)),
            DEFAULT,
            Leaf(Fate.NEGATIVE_CONFIRMED, confirmed=(2,)),
        ),
        (Said(cited=False, negative=True), DEFAULT, Leaf(Fate.NEGATIVE_UNCONFIRMED)),
        (Said(cited=False, negative=True, confirms=(2,)), AUTO, Leaf(Fate.UNCITED)),
        (Said(cited=True, attested=True, negative=True), DEFAULT, Leaf(Fate.SUPPORTED)),
    ],
)
def test_a_branch_ends_on_its_leaf(said: Said, rules: Rules, leaf: Leaf) -> None:
    assert climb(said, rules) == leaf


def test_only_two_fates_are_rewarded_and_two_are_left_aside() -> None:
    assert {fate for fate in Fate if fate.rewarded} == {Fate.SUPPORTED, Fate.NEGATIVE_CONFIRMED}
    assert {fate for fate in Fate if not fate.scored(DEFAULT)} == {Fate.IGNORED, Fate.REPEATED}
    cited_only = PRESETS["auto-argue-paper"]
    assert {fate for fate in Fate if fate.scored(cited_only)} == {Fate.SUPPORTED, Fate.UNSUPPORTED}
