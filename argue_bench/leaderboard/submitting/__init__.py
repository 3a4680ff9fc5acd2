"""What a participant does: check the files of a submission, send them."""
