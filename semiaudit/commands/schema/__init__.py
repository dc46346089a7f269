"""`semiaudit schema`: the JSON Schemas of inputs and outputs."""
