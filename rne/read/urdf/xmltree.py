"""A small XML tree with line numbers, which refuses XML features that robot files do not need."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from rne.errors import ModelError
from rne.model.findings import Findings

DEEPEST = 200
"""Levels of nesting beyond which a file is taken for an attack; robots need about six."""
MOST_ELEMENTS = 200_000
"""Elements beyond which a file is taken for an attack; the largest of example-robot-data has 3,000."""
MOST_ATTRIBUTES, MOST_OF_ONE = 1_000_000, 1_000
"""Attributes of a file, and of one element, beyond which it is taken for an attack; robots have 10,000 and 10."""
SNIPPET = 40
"""Letters of a text that are kept for messages."""


@dataclass(slots=True)
class Element:
    """An XML element.

    Attributes
    ----------
    tag : its name. The prefix of the root element is taken off everywhere; an element with another prefix keeps it
        (`gz:plugin`), so that it can never be mistaken for one of the format.
    attributes, children : as in the file; comments are dropped.
    line, offset : where it begins; the bytes before it in the document.
    text : the beginning of the first text directly inside that is not blank.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    offset: int = 0
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def walk(self) -> Iterator[Element]:
        """Yield this element and everything inside it, in the order of the file."""
        todo = [self]
        while todo:
            element = todo.pop()
            yield element
            todo.extend(reversed(element.children))

    def says_the_same(self, other: Element) -> bool:
        """Whether tag, attributes and everything inside are equal, wherever the two stand."""
        pairs = [(self, other)]
        while pairs:
            one, two = pairs.pop()
            if (one.tag, one.attributes, one.text) != (two.tag, two.attributes, two.text):
                return False
            if len(one.children) != len(two.children):
                return False
            pairs.extend(zip(one.children, two.children, strict=True))
        return True


def parse(data: bytes, findings: Findings, encoding: str | None = None) -> Element:
    """Parse an XML document.

    Parameters
    ----------
    data : the document.
    findings : says where the document came from.
    encoding : overrides the declaration in the document, for text that was decoded before.

    Returns
    -------
    Element
        The root.

    Raises
    ------
    ModelError
        The data is not well-formed XML, is nested too deeply, or declares entities.
    """
    if data.startswith(codecs.BOM_UTF8):
        data, encoding = data.replace(codecs.BOM_UTF8, b" " * len(codecs.BOM_UTF8), 1), "utf-8"
    return _Builder(findings, encoding).build(data)


class _Builder:
    """Turns the events of expat into a tree; keeps the open elements on a list, so depth costs no recursion."""

    def __init__(self, findings: Findings, encoding: str | None) -> None:
        self._findings = findings
        self._open: list[Element] = []
        self._root: Element | None = None
        self._prefix = ""
        self._count = self._attributes = 0
        self._parser = expat.ParserCreate(encoding)
        self._parser.buffer_text = True
        self._parser.CharacterDataHandler = self._text
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._doctype

    def build(self, data: bytes) -> Element:
        spot = self._findings.at
        content = data.lstrip()  # a blank line before <?xml ...?> is against the letter of XML, and harmless
        self._blanks = len(data) - len(content)
        self._skipped = data.count(b"\n", 0, self._blanks)
        try:
            self._parser.Parse(content, True)
        except expat.ExpatError as error:
            what = f"not well-formed XML: {expat.ErrorString(error.code)} (column {error.offset + 1})"
            spot("", error.lineno + self._skipped).fail(what + _hint(content, error.code))
        except ModelError:  # from the handlers below
            raise
        except (LookupError, ValueError) as error:  # from the codecs that expat asks for help
            spot("", 1).fail(f"cannot decode the file: {error}; save it as UTF-8")
        assert self._root is not None  # expat refuses a document without elements
        return self._root

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        line = self._line
        spot = self._findings.at(f"<{name[:SNIPPET]}>", line)
        self._count += 1
        self._attributes += len(attributes)
        if self._count > MOST_ELEMENTS:
            spot.fail(f"there are more than {MOST_ELEMENTS:,} elements; no robot has that")
        if len(attributes) > MOST_OF_ONE:
            spot.fail(f"it has {len(attributes):,} attributes; more than {MOST_OF_ONE:,} are not part of a robot")
        if self._attributes > MOST_ATTRIBUTES:
            spot.fail(f"there are more than {MOST_ATTRIBUTES:,} attributes; no robot has that")
        if self._root is None:
            self._prefix = name[: name.find(":") + 1]
        offset = self._parser.CurrentByteIndex + self._blanks
        element = Element(name.removeprefix(self._prefix), attributes, line, offset)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)
        if len(self._open) > DEEPEST:
            spot.fail(f"elements are nested more than {DEEPEST} deep")

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber + self._skipped

    def _text(self, text: str) -> None:
        element = self._open[-1]
        if not element.text:
            element.text = text.strip()[:SNIPPET]

    def _end(self, _name: str) -> None:
        self._open.pop()

    def _doctype(self, _name: str, system: str | None, _public: str | None, has_subset: int) -> None:
        # Entities can grow without bound ("billion laughs") or be empty if their file is not read.
        if system or has_subset:
            what = "declarations and entities are refused; remove the DOCTYPE and write the values out"
            self._findings.at("<!DOCTYPE>", self._line).fail(what)


def _hint(data: bytes, code: int) -> str:
    if b"\0" in data[:100]:
        return "; this looks like UTF-16 without its mark: save the file as UTF-8"
    if code == expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]:
        try:
            data.decode()
        except UnicodeDecodeError:
            return "; the bytes are not UTF-8: save the file as UTF-8 or declare its encoding in the first line"
    if code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]:
        return "; the file is empty or cut off"
    if not data.startswith(b"<"):
        return "; XML begins with <"
    return ""
