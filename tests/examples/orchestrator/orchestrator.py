"""Has another agent count, and relays what it found: a Python function in the conductor's process, ``delegation``."""


def relay(task):
    """The result rests on the input and on the child run, so it cites both."""
    child = task.delegate("counter", task.input)
    envelope = child["content"]
    if envelope["outcome"]["status"] != "succeeded":
        return {
            "status": "abstained",
            "statement": "The words could not be counted.",
            "reason_code": "child-did-not-succeed",
            "evidence": [task.input_item(), child],
        }
    evidence = [task.input_item(), child]
    return {
        "status": "succeeded",
        "statement": envelope["outcome"]["statement"],
        "payload": {
            "schema_class": "Summary",
            "grounded_on": [
                {"source_id": item["source_id"], "content_hash": item["content_hash"]} for item in evidence
            ],
            "words": envelope["payload"]["words"],
        },
        "evidence": evidence,
    }
