"""The AutoNuggetizer (Pradeep et al. 2024): nuggets, their assignment and scores."""
