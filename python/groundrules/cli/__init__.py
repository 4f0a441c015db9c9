"""The command line: parse, call, render. Exit codes are in one table (conformance.exit-codes)."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Annotated

import typer

import groundrules
from groundrules.cli import (
    canonical,
    conform,
    evidence,
    lint,
    report,
    resolve,
    running,
    runs,
    sources,
    validate,
    vectors,
    verify,
    witness,
)
from groundrules.cli.render import Exit, print_error, print_line
from groundrules.errors import GroundrulesError, UsageError
from groundrules.strictjson import LIMITS

if TYPE_CHECKING:
    from collections.abc import Sequence

app = typer.Typer(
    name="groundrules",
    help="Check what an AI agent's result rests on: same bytes, same hash.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("conform")(conform.conform)
app.command("canonicalise")(canonical.canonicalise)
app.command("hash")(canonical.hash_)
app.command("validate")(validate.validate)
app.command("lint")(lint.lint)
app.command("explain")(lint.explain)
app.command("report")(report.report)
app.command("wrong")(report.wrong)
app.command("verify")(verify.verify)
app.command("witness")(witness.witness)
app.command("decide")(witness.decide)
app.command("resolve")(resolve.resolve)
app.command("request")(running.request)
app.command("run")(running.run)
app.add_typer(runs.app, name="runs")
app.add_typer(witness.app, name="contracts")
app.add_typer(sources.app, name="sources")
app.add_typer(evidence.app, name="evidence")
app.add_typer(vectors.app, name="vectors")

_CLICK_ERROR = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException")


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - the signature typer asks of a callback
    if wanted:
        print_line(f"groundrules {groundrules.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Check what an AI agent's result rests on: same bytes, same hash."""


def main() -> None:
    """The ``groundrules`` command."""
    if 0 < sys.get_int_max_str_digits() < LIMITS.number:
        sys.set_int_max_str_digits(LIMITS.number)
    for number in {signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}:
        if signal.getsignal(number) is signal.SIG_DFL:  # like an interrupt: what was started is ended
            signal.signal(number, signal.default_int_handler)
    leave(run(sys.argv[1:]))


def leave(code: int) -> None:
    """End the process, also where an agent in it left a thread that may never end."""
    if all(thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        sys.exit(code)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code. An error is one line on standard error, or data with --json."""
    as_json = "--json" in arguments
    try:
        code = app(list(arguments), prog_name="groundrules", standalone_mode=False)
    except GroundrulesError as error:
        print_error(error, as_json=as_json)
        return Exit.UNUSABLE
    except (BrokenPipeError, SystemExit):  # the reader of our output went away; typer turns that into SystemExit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.UNUSABLE
    except (KeyboardInterrupt, typer.Abort):
        return Exit.INTERRUPTED
    except (OSError, MemoryError) as error:
        print_error(_machine(error), as_json=False)
        return Exit.UNUSABLE
    except Exception as error:
        if not isinstance(error, _CLICK_ERROR):
            raise
        print_error(_usage(error), as_json=as_json)
        return Exit.UNUSABLE
    return code if isinstance(code, int) else Exit.GOOD


def _machine(error: OSError | MemoryError) -> UsageError:
    """What the machine would not do: a full disk, a closed stream, too little memory."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else "there is not enough memory"
    return UsageError("usage.machine", f"the command could not be carried out: {reason.lower()}")


def _usage(error: Exception) -> UsageError:
    message = str(error.format_message()) if hasattr(error, "format_message") else str(error)
    detail = " ".join(message.split()).rstrip(".")
    return UsageError("usage.arguments", detail, remedy="see groundrules --help")
