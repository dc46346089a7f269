"""Both definitions of a(t), computed by closed forms, lists of tables, and integer programs."""
