"""The frozen objects that every floor speaks in. No algorithms, no input, no output."""
