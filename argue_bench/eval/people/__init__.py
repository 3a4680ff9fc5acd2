"""What people say of a run: their labels counted, and scores and differences corrected by them."""
