"""TOML files, with the lines that the parser of Python does not tell."""

from __future__ import annotations

import re
import tomllib

from rne.errors import ModelError
from rne.model.findings import Findings
from rne.read.files import read_bytes

LARGEST_FILE = 1_000_000
"""Bytes of a table, which takes the parser half a second; a row has some 300."""
MOST_DOTS = 500
"""Dots in a line; for a key a.a.a... the parser takes memory by the square of their number."""


class Places:
    """Finds the lines of keys in the text of a TOML file, which the parser does not provide."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        headers = ((number, _HEADER.match(line)) for number, line in enumerate(self._lines) if "[[" in line)
        self._headers = [(number, found[1]) for number, found in headers if found]
        self._of_key: dict[str, int | None] = {}  # a table of inline rows asks for the same key once a row
        self._of_array: dict[str, list[int]] = {}  # by array, which of the headers open its tables
        for place, (_, array) in enumerate(self._headers):
            self._of_array.setdefault(array, []).append(place)

    def key(self, key: str) -> int | None:
        """Return the line of a key of the table."""
        if key not in self._of_key:
            self._of_key[key] = self._find(key, 0, len(self._lines))
        return self._of_key[key]

    def entry(self, array: str, index: int, key: str) -> int | None:
        """Return the line of a key in the nth table of an array; of the table if the key is not found or empty."""
        tables = self._of_array.get(array, [])
        if index >= len(tables):
            return self.key(array)
        (start, _), *after = self._headers[tables[index] : tables[index] + 2]
        return self._find(key, start, after[0][0] if after else len(self._lines), array) or start + 1

    def _find(self, key: str, start: int, stop: int, array: str = "rows") -> int | None:
        if not key:
            return None
        quoted = rf"[\"']?{re.escape(key)}[\"']?"
        place = re.compile(rf"\s*(?:{quoted}\s*[=.]|\[\s*(?:{array}\s*\.\s*)?{quoted}\s*\])")
        return next((number + 1 for number in range(start, stop) if place.match(self._lines[number])), None)


_HEADER = re.compile(r"\s*\[\[\s*[\"']?(\w*)")


def load_toml(findings: Findings) -> tuple[dict[str, object], Places]:
    """Return the content of the TOML file that the findings are about; raise `ModelError` if it is not valid."""
    data = read_bytes(findings, LARGEST_FILE)
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
        for place, content in enumerate(text.split("\n"), 1):
            if content.count(".") > MOST_DOTS:
                findings.at("", place).fail(f"a line with more than {MOST_DOTS} dots is not part of a table")
        return tomllib.loads(text), Places(text)
    except ModelError:
        raise
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        findings.at("", line).fail("the bytes are not UTF-8; save the file as UTF-8")
    except (ValueError, RecursionError) as error:  # integers of thousands of digits are a ValueError, too
        line_found = re.search(r"at line (\d+)", str(error))
        line = int(line_found[1]) if line_found else text.count("\n") + 1
        findings.at("", line).fail(f"not TOML: {error}")
