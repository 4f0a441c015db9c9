"""An adapter that misbehaves in the way its first argument names; everything else it does right."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

MODE = sys.argv[1]
HELLO = {"protocol": 1, "implementation": {"name": "naughty", "version": MODE}, "kinds": ["parse"], "features": []}
BAD = 2
"""The question at which it misbehaves."""


def put(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def say(message):
    put(json.dumps(message) + "\n")


def misbehave(seq):  # noqa: C901, PLR0912, PLR0915 - one way each
    match MODE:
        case "garbage":
            put("this is no JSON \x1b[31m\n")
        case "not-an-object":
            say([1])
        case "hang":
            time.sleep(600)
        case "hang-with-child":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", os.environ["MARK"]])
            time.sleep(600)
        case "die":
            sys.stderr.write("out of luck\n")
            sys.stderr.flush()
            os._exit(7)
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "flood":
            while True:
                sys.stdout.write("x" * 65536)
        case "flood-stderr":
            sys.stderr.write("x" * 10_000_000)
            say({"seq": seq, "verdict": "pass"})
        case "out-of-order":
            say({"seq": seq + 1, "verdict": "pass"})
        case "no-seq":
            say({"verdict": "pass"})
        case "boolean-seq":
            say({"seq": True, "verdict": "pass"})
        case "twice":
            put((json.dumps({"seq": seq, "verdict": "pass"}) + "\n") * 2)
        case "twice-later":
            say({"seq": seq, "verdict": "pass"})
            time.sleep(0.2)
            say({"seq": seq, "verdict": "pass"})
        case "close-stdin":
            say({"seq": seq, "verdict": "pass"})
            os.close(0)
            time.sleep(600)
        case "close-stdout":
            os.close(1)
            time.sleep(600)
        case "error":
            say({"seq": seq, "error": {"code": "x", "detail": "I do not want to"}})
        case "error-without-detail":
            say({"seq": seq, "error": 7})
        case "skip":
            say({"seq": seq, "skipped": "not today"})
        case "indeterminate":
            say({"seq": seq, "verdict": "indeterminate", "reason": "1 and 1.0 look alike"})
        case "duplicate-name":
            put(f'{{"seq": {seq}, "verdict": "pass", "verdict": "fail"}}\n')
        case "half-a-line":
            put('{"seq": 2')
            os._exit(0)
        case "changing-hello":
            Path(os.environ["ONCE"]).touch()
            os._exit(7)
        case "deaf":
            time.sleep(600)


def main():  # noqa: C901, PLR0912 - as above
    if MODE == "no-hello":
        os._exit(3)
    if MODE == "early":
        say({"seq": 1, "verdict": "pass"})
    for line in sys.stdin:
        message = json.loads(line)
        if message["op"] == "hello":
            if MODE == "other-protocol":
                say(HELLO | {"protocol": 2})
            elif MODE == "no-json-as-hello":
                put("hello\n")
            elif MODE == "changing-hello" and Path(os.environ["ONCE"]).exists():
                say(HELLO | {"kinds": ["parse", "lint"]})
            elif MODE == "hello-as-answer":
                say({"seq": 1, "verdict": "pass"})
            elif MODE == "error-as-hello":
                say({"error": {"detail": "I speak protocol 7"}})
            else:
                say(HELLO | ({"kinds": ["lint"]} if MODE == "other-kinds" else {}))
        elif message["op"] == "bye":
            if MODE == "no-end":
                time.sleep(600)
            return
        elif message["seq"] == BAD:
            misbehave(message["seq"])
        else:
            say({"seq": message["seq"], "verdict": "pass"})


main()
