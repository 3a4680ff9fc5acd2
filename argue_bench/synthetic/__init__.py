"""A world generated from a seed: facts first, then documents and gold printed from the same facts."""
