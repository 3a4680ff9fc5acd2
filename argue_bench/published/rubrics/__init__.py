"""Rubrics with weights: ResearchRubrics, DRAGUN and their like."""
