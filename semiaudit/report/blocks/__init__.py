"""The content of a report, block by block, for all formats."""
