"""What happens when a submission arrives: is it complete, what does it score, what is kept of it?"""
