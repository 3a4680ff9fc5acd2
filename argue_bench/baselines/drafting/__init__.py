"""Nuggets drafted by a judge from documents or reports, for people to edit.

passages   what is read for each topic: a question's documents, or pooled reports
steps      one topic: create, rate, check against the documents, merge, as judge requests
drafts     all topics with a judge and a store, and what that would cost
gold       drafts as gold of a core folder and as nugget files; the file that people edit
"""

from argue_bench.baselines.drafting.drafts import draft_nuggets
from argue_bench.baselines.drafting.passages import Topic, topics_of, topics_of_reports
from argue_bench.baselines.drafting.steps import Draft, DraftedNugget

__all__ = [
    "Draft",
    "DraftedNugget",
    "Topic",
    "draft_nuggets",
    "topics_of",
    "topics_of_reports",
]
