"""gpu_same_texts.py FOLDER PLAIN NAME...: ends with 1 unless every FOLDER/generate_NAME.json has the tokens of PLAIN, and accepted a draft."""

import json
import os
import sys


def main():
    folder, *names = sys.argv[1:]
    results = {}
    for name in names:
        with open(os.path.join(folder, f"generate_{name}.json"), encoding="utf-8") as file:
            results[name] = json.load(file)
    plain = results[names[0]]
    for name, result in results.items():
        print(f"{name}: {len(result['output_ids']) / result['decode_seconds']:.3g} tokens/s, {len(result['rounds'])} rounds")
    other = [name for name, result in results.items() if result["output_ids"] != plain["output_ids"]]
    if other:
        sys.exit(f"greedy speculation gave other tokens than plain decoding: {', '.join(other)}")
    idle = [name for name in names[1:] if not any(one["accepted"] for one in results[name]["rounds"])]
    if idle:
        sys.exit(f"no draft was accepted, so nothing of their rounds was tried: {', '.join(idle)}")


main()
