"""Our data sets and metrics inside other harnesses: inspect_ai, lighteval, AutoJudge. Each is imported
only by those who have that harness installed."""
