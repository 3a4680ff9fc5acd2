"""Screening: what a maintainer should look at before a run is spent. It changes no score."""
