"""FanOutQA (Zhu et al. 2024): its questions, its Wikipedia, its scores."""
