"""`evaluate` and `aevaluate`: pair answers with questions, tally, average, sign.

from argue_bench import load_dev
from argue_bench.eval import evaluate

report = evaluate(load_dev(), [{"id": "q1", "answer": "It was built in 1931 [d1]."}])
"""

from argue_bench.eval.judging import aevaluate, evaluate
from argue_bench.eval.report import Report, Score, Scores
from argue_bench.eval.signature import Signature

__all__ = ["Report", "Score", "Scores", "Signature", "aevaluate", "evaluate"]
