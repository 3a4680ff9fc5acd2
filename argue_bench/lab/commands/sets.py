"""``argue-bench list labels``: the public sets of verdicts that people gave."""

from __future__ import annotations

from argue_bench.cli.listing import Listing

_ELSEWHERE = (
    "Of Span there is SQuAD 2.0 (https://rajpurkar.github.io/SQuAD-explorer/, CC BY-SA 4.0), and of Contradicts and "
    "Entails FaithBench (https://github.com/vectara/FaithBench, CC BY-NC-SA 4.0: to measure only), which you convert "
    "to label files yourself."
)


def list_labels() -> Listing:
    """The public sets of verdicts that people gave, for `list labels`, and the kinds of request without one."""
    from argue_bench.lab.label_sets import SHIPPED, label_sets
    from argue_bench.records import KINDS

    sets = label_sets() | SHIPPED
    data = {
        name: {
            "kind": one.kind,
            "about": one.about,
            "source": one.source,
            "commit": one.commit,
            "sha256": dict(one.files),
            "licence": one.licence,
            "access": "shipped" if name in SHIPPED else "your folder" if one.local else "public",
        }
        for name, one in sets.items()
    }
    summaries = {
        name: f"{one.kind}: {one.about} ({one.source} at {one.commit[:8]}{'; --labels ' + name + '=FOLDER' if one.local else ''}; licence: {one.licence})"
        for name, one in sets.items()
    }
    without = [kind for kind in KINDS if kind not in {one.kind for one in sets.values()}]
    note = f"No public set is read here of: {', '.join(without)}."
    return Listing(summaries, data, f"{note} {_ELSEWHERE}")
