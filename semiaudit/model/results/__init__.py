"""What commands other than audits find: designs, samples, tests, surveys, and registry entries."""
