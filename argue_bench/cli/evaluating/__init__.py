"""The command ``evaluate``: answers, reports of many runs, stored judgments."""
