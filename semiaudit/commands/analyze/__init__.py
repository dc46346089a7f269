"""`semiaudit analyze`: one spec, audited."""
