"""What all workers share: a process that loads once and answers one JSON request a line.

First line out: {"modes": [...]}. Request: {"mode", "ids", "new_tokens"}. Answer: see `answer`.
"""

import json
import sys


def answer(output_ids, first_tokens, first_seconds, total_seconds):
    """`first_tokens` tokens were known after `first_seconds` (reading the prompt included), all after `total_seconds`."""
    return {"output_ids": output_ids, "first_tokens": first_tokens, "first_seconds": first_seconds, "total_seconds": total_seconds}


def serve(modes, generate):
    """Calls generate(mode, ids, new_tokens) for each request until standard input ends. Prints of libraries go to stderr."""
    replies, sys.stdout = sys.stdout, sys.stderr
    print(json.dumps({"modes": modes}), file=replies, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(generate(request["mode"], request["ids"], request["new_tokens"])), file=replies, flush=True)
