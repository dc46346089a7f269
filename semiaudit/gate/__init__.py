"""The gate: budgets, policies, waivers and baselines, which make a verdict of an audit."""
