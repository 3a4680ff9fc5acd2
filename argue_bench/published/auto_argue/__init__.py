"""Auto-ARGUE (Walden et al. 2025): its files, its judgments, its command."""
