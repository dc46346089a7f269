"""From YAML to the model: located reading, validation, and building, with every problem at once."""
