"""The types and ranges of config values and labels, and the class decorator that checks them.

Everything that a YAML file can set is checked here and nowhere else: a component declared with
`component` refuses unknown keys, wrong types and values out of range when it is built, before any
work.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, TypeVar, dataclass_transform

import pydantic.dataclasses
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from rageval.schema.names import set_fault, shortened

T = TypeVar("T")


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    if text != text.strip():
        raise ValueError("must not begin or end with spaces")
    return text


def _set_name(name: str) -> str:
    fault = set_fault(name)
    if fault:  # what was got stands at the end of the sentence already
        raise ValueError(fault.removeprefix(f"{shortened(name)} "))
    return name


Name = Annotated[str, Field(strict=True), AfterValidator(_not_blank)]  # no blanks around it
# What experiments, models and folders are named after.
SetIdentifier = Annotated[str, Field(strict=True), AfterValidator(_set_name)]
Count = Annotated[int, Field(strict=True, ge=1)]  # 1, 2, …
Days = Annotated[int, Field(strict=True, ge=1, le=36_500)]  # up to a hundred years
Natural = Annotated[int, Field(strict=True, ge=0)]  # 0, 1, …
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]  # finite
Positive = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Share = Annotated[
    float, Field(strict=True, ge=0, le=1, allow_inf_nan=False), AfterValidator(abs)
]  # 0..1, and −0.0 is 0
Flag = Annotated[bool, Field(strict=True)]


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


# What a user calls a run. A version is a number on the command line, and so are some run ids.
Reference = Annotated[Name, BeforeValidator(_as_text)]


class Record(BaseModel):
    """A frozen record that refuses unknown keys: one node of the configuration."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    partial: ClassVar[bool] = False  # True: the node holds more, which others read


@dataclass_transform(frozen_default=True, field_specifiers=(Field,))
def component(cls: type[T]) -> type[T]:
    """Make a class a component: a frozen dataclass whose arguments are checked when it is built.

    Examples
    --------
    >>> @component
    ... class Cut:
    ...     size: Count = 3
    >>> Cut(size=2).size
    2
    >>> Cut(size=0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    pydantic_core._pydantic_core.ValidationError: 1 validation error for Cut
    size
      Input should be greater than or equal to 1 ...
    """
    config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
    checked: type[T] = pydantic.dataclasses.dataclass(frozen=True, config=config)(cls)  # type: ignore[assignment]  # pydantic types it as its own kind of class
    return checked
