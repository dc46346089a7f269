"""The gate: specs are found, audited, and judged one by one."""
