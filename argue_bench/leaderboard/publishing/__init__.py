"""Results onto the results branch, and from there to the site."""
