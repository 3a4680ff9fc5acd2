"""The participant's steps: check the files of a submission and send them."""
