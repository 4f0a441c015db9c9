"""A conformance report as JUnit XML, for CI systems that show test results.

There is no standard of JUnit XML. The elements and attributes are those of ``junit-10.xsd`` of the xUnit plugin of
Jenkins, less times and hosts, which a report does not hold.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Final

from groundrules.conformance.render.document import Entry, Implementation, Report, clipped, read
from groundrules.conformance.score import Outcome
from groundrules.errors import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules.strictjson import JSON

_ELEMENTS: Final = {
    Outcome.FAIL: "failure",
    Outcome.WRONG_REASON: "failure",
    Outcome.XPASS: "failure",
    Outcome.ERROR: "error",
    Outcome.CRASH: "error",
    Outcome.TIMEOUT: "error",
    Outcome.SKIPPED: "skipped",
    Outcome.NOT_APPLICABLE: "skipped",
    Outcome.XFAIL: "skipped",
}
"""What a result that is no pass is in JUnit XML."""


def junit(report: dict[str, JSON]) -> str:
    r"""The report as JUnit XML: a suite for each implementation and family, a case for each vector.

    What does not print, and so whatever XML 1.0 forbids, is written as an escape such as ``\u{1}``.

    Args:
        report: of ``schemas/conformance-report.json``.
    """
    told = read(report)
    everything = [entry for one in told.implementations for entry in one.entries]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="groundrules conform"{_counted(everything, ("failure", "error"), len(told.troubles))}>',
    ]
    if told.troubles:
        counted = f' tests="{len(told.troubles)}" failures="0" errors="{len(told.troubles)}" skipped="0"'
        lines += [f'<testsuite name="groundrules: corpus"{counted}>', *map(_trouble, told.troubles), "</testsuite>"]
    for one in told.implementations:
        for family in one.families:
            lines += _suite(one, family, told)
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _trouble(trouble: str) -> str:
    message = _attributes(message=clipped(trouble), type="error")
    return (
        f'<testcase name="the corpus and the lists are in order" classname="groundrules"><error{message}/></testcase>'
    )


def _suite(one: Implementation, family: str, report: Report) -> Iterator[str]:
    entries = [entry for entry in one.entries if entry.family == family]
    counted = _counted(entries, ("failure", "error", "skipped"))
    yield f"<testsuite{_attributes(name=f'{one.title}: {family}')}{counted}>"
    yield "<properties>"
    for name, value in (
        ("kit", report.kit),
        ("corpus", report.corpus),
        ("set", report.set),
        ("partial", "true" if report.partial else None),
    ):
        if value is not None:
            yield f"<property{_attributes(name=name, value=value)}/>"
    yield "</properties>"
    for entry in entries:
        yield _case(entry, f"{one.about['name']}.{family}")
    yield "</testsuite>"


def _case(entry: Entry, classname: str) -> str:
    case = f"<testcase{_attributes(name=entry.id, classname=classname)}"
    if entry.outcome is Outcome.PASS:
        return f"{case}/>"
    element = _ELEMENTS[entry.outcome]
    message = _attributes(message=clipped(entry.detail) or entry.outcome, type=entry.outcome)
    return f"{case}><{element}{message}>{_safe(entry.detail)}</{element}></testcase>"


def _counted(entries: Sequence[Entry], elements: Sequence[str], further: int = 0) -> str:
    """How many cases there are, and how many hold each element, as attributes; further errors are counted too."""
    names = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    told = [_ELEMENTS.get(entry.outcome) for entry in entries]
    numbers = {names[element]: str(told.count(element) + further * (element == "error")) for element in elements}
    return _attributes(tests=str(len(entries) + further), **numbers)


def _attributes(**values: str) -> str:
    return "".join(f' {name}="{_safe(value)}"' for name, value in values.items())


def _safe(foreign: str) -> str:
    return html.escape(escaped(foreign))
