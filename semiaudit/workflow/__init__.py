"""The use cases: each joins the floors below for one thing that a user wants."""
