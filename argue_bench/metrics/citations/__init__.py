"""Citations: whether what is cited, or what was provided, supports each sentence."""
