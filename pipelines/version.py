"""The version of cardlog, from its package metadata."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("cardlog")
except PackageNotFoundError:
    VERSION = "0+unknown"
