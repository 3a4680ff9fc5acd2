"""Published programs and papers, a folder each: its data, rules, prompts and commands."""
