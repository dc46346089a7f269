"""Reports for continuous integration: SARIF, JUnit, and GitHub annotations."""
