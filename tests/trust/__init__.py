"""The evidence of docs/trust.md: campaigns, what each found, and on which code it ran."""
