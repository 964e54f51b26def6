"""Texts of programs as the fixtures have them."""

import re


def comparable(text):
    """The text without comments about sources and annotations, and without empty lines."""
    lines = [line.rstrip() for line in text.split("\n")]
    return "\n".join(line for line in lines if line and not re.match(r"\s*#\s?(File:|No stacktrace|Annotation:)", line))
