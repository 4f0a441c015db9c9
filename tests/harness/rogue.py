"""An agent over stdio that does what its first argument says: one in order, and many that are not."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

BEHAVIOUR, *REST = sys.argv[1:]
LINE = sys.stdin.readline() if BEHAVIOUR != "deaf" else "{}"
HOST = json.loads(LINE)
REQUEST = json.loads(HOST.get("request", "{}"))


def say(message):
    sys.stdout.write(message if isinstance(message, str) else json.dumps(message) + "\n")
    sys.stdout.flush()


def item():
    return {
        "source_id": HOST["input_ref"],
        "hash_algorithm": "sha256",
        "canonicalisation": HOST["input_canonicalisation"],
        "content_hash": HOST["input_hash"],
        "content": REQUEST["input"],
    }


def result(spans=(), **more):
    cited = item()
    made = {
        "status": "succeeded",
        "statement": "Done.",
        "payload": {
            "schema_class": "Answer",
            "grounded_on": [{name: cited[name] for name in ("source_id", "content_hash")}],
        },
        "evidence": [cited],
    }
    say({"op": "result", "result": json.dumps(made | more), "spans": list(spans)})


def span(number=1, **changes):
    _, trace_id, parent, _ = HOST["traceparent"].split("-")
    made = {
        "name": "work",
        "context": {"trace_id": f"0x{trace_id}", "span_id": f"0x{number:016x}"},
        "parent_id": f"0x{parent}",
        "start_time": "2026-12-01T00:00:00.000000Z",
        "end_time": "2026-12-01T00:00:01.000000Z",
        "attributes": {},
    }
    return json.dumps(made | changes)


def flee():
    """Start a process that leaves the group, whose parent ends, and that sleeps; say its number."""
    code = (
        "import os, sys, time\n"
        "if os.fork(): os._exit(0)\n"
        "os.setsid()\n"
        "if os.fork(): os._exit(0)\n"
        "open(sys.argv[1], 'w').write(str(os.getpid()))\n"
        "time.sleep(60)\n"
    )
    subprocess.Popen([sys.executable, "-c", code, REST[0]])
    while not Path(REST[0]).exists() or not Path(REST[0]).read_text():
        time.sleep(0.01)


match BEHAVIOUR:
    case "good":
        result([span(1), span(2)])
    case "shows":
        seen = {"environment": dict(os.environ), "message": HOST, "folder": str(Path.cwd())}
        seen["descriptors"] = sorted(map(int, os.listdir("/proc/self/fd")))  # noqa: PTH208
        Path(REST[0]).write_text(json.dumps(seen))
        result()
    case "deaf":
        time.sleep(60)
    case "silent":
        time.sleep(60)
    case "quiet-end":
        sys.exit(0)
    case "raises":
        raise ValueError("the answer is 42")
    case "killed":
        os.kill(os.getpid(), 9)
    case "status":
        result([span(1)])
        sys.exit(3)
    case "tells-for-its-guard":
        for line in (b"{\n", b"[]\n", b"\xff\n", b"[" * 9999 + b"\n", b'{"ended": "exit"}\n'):
            for number in range(3, 256):
                path = f"/proc/{os.getppid()}/fd/{number}"
                if os.path.exists(path) and os.readlink(path).startswith("pipe:"):  # noqa: PTH110, PTH115
                    with open(path, "wb", opener=lambda name, _: os.open(name, os.O_WRONLY | os.O_NONBLOCK)) as pipe:
                        pipe.write(line)
        result()
    case "lingers":
        result()
        sys.stdout.close()
        os.close(1)
        time.sleep(60)
    case "more":
        result()
        say("{}\n")
    case "long":
        say("x" * 200_000)
        time.sleep(60)
    case "eats":
        held = [bytearray(b"x" * 1_000_000) for _ in range(int(REST[0]))]
        result(statement=str(len(held)))
    case "reserves":
        held = bytearray(900_000_000)  # asked for, and never touched
        result(statement=str(len(held)))
    case "children-eat":
        code = "import time; held = b'x' * 60_000_000; time.sleep(60)"
        children = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
        time.sleep(60)
    case "flees":
        flee()
        result()
    case "flees-silent":
        flee()
        time.sleep(60)
    case "holds-output":
        subprocess.Popen(["sleep", "60"])
        result()
    case "says":
        say(REST[0])
        time.sleep(60)
    case "result":
        say({"op": "result", "result": REST[0], "spans": []})
    case "spans":
        result(REST)
    case "owned":
        result([span(1, attributes={"dd.outcome": "succeeded"})])
    case "outside":
        result([span(1, parent_id="0x00000000000000aa")])
    case "foreign":
        result([span(1, context={"trace_id": "0x" + "ab" * 16, "span_id": "0x01"})])
    case "many-spans":
        result([span(number) for number in range(1, int(REST[0]))])
    case "asks":
        say({"op": "retrieve", "seq": 1, "snapshot_ref": REST[0], "source_id": REST[1]})
        found = json.loads(json.loads(sys.stdin.readline())["value"])
        say(
            {
                "op": "retrieve",
                "seq": 2,
                "retriever": "all",
                "query": '{"n": 1.0}',
                "canonicalisation": "jcs-document-v1",
            }
        )
        more = json.loads(json.loads(sys.stdin.readline())["value"])
        cited = [found, *more]
        say({"op": "retrieve", "seq": 3, "retriever": "all", "query": '{"n": 1, "n": 1}'})
        refused = json.loads(sys.stdin.readline())
        say({"op": "delegate", "seq": 4, "grant": "none", "agent_id": "x", "input": "{}"})
        refused_too = json.loads(sys.stdin.readline())
        payload = {"schema_class": "Answer"}
        payload["grounded_on"] = [{name: one[name] for name in ("source_id", "content_hash")} for one in cited]
        statement = f"{refused['error']['code']} {refused_too['error']['code']}"
        result(evidence=cited, payload=payload, statement=statement)
    case "delegates":
        asked = {"op": "delegate", "seq": 1, "grant": HOST["grant"], "agent_id": REST[0]}
        say(asked | {"input": json.dumps(REQUEST["input"])})
        child = json.loads(json.loads(sys.stdin.readline())["value"])
        say(asked | {"seq": 2, "input": "{"})
        refused = json.loads(sys.stdin.readline())
        cited = [item(), child]
        payload = {"schema_class": "Answer"}
        payload["grounded_on"] = [{name: one[name] for name in ("source_id", "content_hash")} for one in cited]
        result(evidence=cited, payload=payload, statement=refused["error"]["code"])
    case "asks-on":
        for number in range(1, 9):
            say({"op": "retrieve", "seq": number, "snapshot_ref": "a", "source_id": "b"})
            sys.stdin.readline()
        result()
    case "kills-its-guard":
        os.kill(os.getppid(), 9)
        time.sleep(60)
    case "leaves-without-its-guard":
        os.kill(os.getppid(), 9)
    case "stops-its-guard":
        os.kill(os.getppid(), 19)
        time.sleep(60)
