"""Page templates and static files: the only home of what the pages look like."""
