"""`semiaudit schema`: the JSON Schemas of what is read and printed."""
