"""What a participant does: check the files of a submission and send them."""
