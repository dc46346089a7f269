"""What every section of a spec's grammar is made of."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from semiaudit.spec.scalars import kind_of
from semiaudit.spec.yaml12 import Scalar


class Section(BaseModel):
    """A mapping that knows all its keys."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        arbitrary_types_allowed=True,
        defer_build=True,
        protected_namespaces=(),  # no key is asked whether it is like a method's name
    )


def choice(*names: str) -> Any:
    """A validator of a word that must be one of a few."""

    def check(value: object) -> str:
        if not isinstance(value, Scalar) or value not in names:
            raise ValueError(f"{kind_of(value)} is not one of {', '.join(names)}; choose one")
        return str(value)

    return BeforeValidator(check)
