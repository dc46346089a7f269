"""Numbers that are near the truth and on no known side of it. Nothing here is a guarantee."""
