"""Exporters: one module a format, and what they share: new files, and text written as bytes."""
