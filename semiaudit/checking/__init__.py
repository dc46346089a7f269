"""Many specs: found, audited in processes with limits and a journal, and judged one by one."""
