"""What the format's later versions will know: recognised by name, and refused by name."""

from __future__ import annotations

FUTURE = {
    "dataspace": {"impossible": "structural zeros"},
    "data": {
        "table": "tables in files",
        "records": "microdata",
        "engine": "data in an engine",
    },
    "mechanism": dict.fromkeys(
        (
            "gaussian",
            "discrete_gaussian",
            "laplace",
            "discrete_laplace",
            "k_norm",
            "randomized_response",
            "subsampled_gaussian",
            "shuffled",
        ),
        "noise known by its distribution",
    )
    | {"swapping": "a system", "topdown": "a system"},
    "": {"releases": "several releases"},
}
"""Keys of the format's later versions: recognised, and refused by name."""
