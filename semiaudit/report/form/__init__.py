"""What a report is for a machine: JSON, its schema, reading it back, and rows of CSV."""
