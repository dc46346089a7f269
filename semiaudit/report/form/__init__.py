"""Reports for programs: JSON, its schema, its parser, and rows of CSV."""
