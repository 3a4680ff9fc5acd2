"""Forms of words: stems by Porter's rules, and dictionary forms (lemmas)."""
