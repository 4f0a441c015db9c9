"""Counts the words of a text: a Python function in the conductor's process, mode ``none``."""


def count(task):
    """The result rests on the input and on nothing else, so it cites the input."""
    with task.tracer.start_as_current_span("count words") as span:
        words = len(task.input["text"].split())
        span.set_attribute("words", words)
    cited = task.input_item()
    return {
        "status": "succeeded",
        "statement": f"The text has {words} words.",
        "payload": {
            "schema_class": "WordCount",
            "grounded_on": [{"source_id": cited["source_id"], "content_hash": cited["content_hash"]}],
            "words": words,
        },
        "evidence": [cited],
    }
