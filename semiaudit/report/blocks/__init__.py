"""What a report says, block by block, whatever its format."""
