"""The results of other commands: designs, samples, tests, surveys, and registry entries."""
