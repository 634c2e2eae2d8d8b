"""A bridge without its package names the extra that has it."""

import importlib
import sys

import pytest

from boardlab.errors import MissingPackageError


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("pettingzoo", "pettingzoo", "pettingzoo"),
        ("gymnasium", "gymnasium", "gymnasium"),
        ("openspiel", "pyspiel", "openspiel"),
        ("onnx", "onnxruntime", "onnx"),
    ],
)
def test_a_missing_package_names_the_extra(monkeypatch, module: str, package: str, extra: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"boardlab.bridges.{module}", raising=False)
    with pytest.raises(MissingPackageError, match=rf"needs the package .*boardlab\[{extra}\]"):
        importlib.import_module(f"boardlab.bridges.{module}")
