"""The commands: a module or a folder each, with the code that only that command needs."""
