"""Metrics and judges outside the package, imported because the user named them as ``module:name``."""

from __future__ import annotations

import inspect
import re
import sys
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

from argue_bench.errors import UsageError

_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def is_import_name(text: str) -> bool:
    """Whether a text has the form ``module:name``, such as ``my_package.judges:strict``."""
    return _NAME.fullmatch(text) is not None


def import_object(text: str, role: str) -> Any:
    """The object that ``module:name`` names; modules of the current folder are found too.

    ``role`` is what the object should be ("judge"), for the messages. Call this only for names that
    the user gave: importing a module runs it. Raises UsageError.
    """
    module_name, _, name = text.partition(":")
    folder = str(Path.cwd())
    added = [] if folder in sys.path else [folder]
    # At the end of the path: a file of this folder never takes the place of an installed module.
    sys.path.extend(added)
    try:
        found: Any = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module_name}.".startswith(f"{error.name}."):
            raise UsageError(
                f"no {role} is called {text!r}: there is no module {error.name!r}, neither "
                f"installed nor in this folder"
            ) from None
        raise UsageError(f"{text}: importing {module_name} failed: {error}") from error
    except Exception as error:
        about = f"{type(error).__name__}: {error}"
        raise UsageError(f"{text}: importing {module_name} failed: {about}") from error
    finally:
        for one in added:
            sys.path.remove(one)
    try:
        return attrgetter(name)(found)
    except AttributeError:
        raise UsageError(f"no {role} is called {text!r}: {module_name} has no {name!r}") from None


def accepts(function: Any, *arguments: Any) -> bool:
    """Whether a callable accepts these arguments; True where its signature is unknown."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True
