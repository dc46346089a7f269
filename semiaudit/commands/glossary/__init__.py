"""`semiaudit glossary`: what a term means, why it matters, and an example."""
