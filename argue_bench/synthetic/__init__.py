"""A generated closed world: facts first, then documents and gold printed from the same facts."""
