"""The version of cardlog, as its package says."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("cardlog")
except PackageNotFoundError:
    VERSION = "0+unknown"
