"""`semiaudit glossary`: the meaning of a term, why it matters, and an example."""
