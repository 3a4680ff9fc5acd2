"""Commands on judges: labels, agreement with people."""
