"""ALCE (Gao et al. 2023): its data, its prompts, its scores."""
