"""Which differences are real, and can the judge be trusted: compare, bands, agreement, power."""
