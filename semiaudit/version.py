"""The version, in one place."""

__version__ = "0.1.0"

REPOSITORY = "https://github.com/semiaudit/semiaudit"
"""Where the source and the pages stand; the one place that knows the address."""

PAGES = f"{REPOSITORY}/blob/v{__version__}/docs"
"""The pages as this version was released with them."""

_SCHEMAS = f"{REPOSITORY}/raw/v{__version__}/docs"


def schema_address(name: str) -> str:
    """The ``$id`` of a JSON Schema, where it lies as this version was released with it.

    Args:
        name: as ``semiaudit schema`` takes it.
    """
    return f"{_SCHEMAS}/{name}.schema.json"
