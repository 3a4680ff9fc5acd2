"""ragas: its measures of contexts and of an answer's relevance."""
