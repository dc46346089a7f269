"""From an audit to a verdict."""
