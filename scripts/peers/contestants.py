"""The contestants: each has a name, modes, and generate(mode, ids, new_tokens) with the answer of worker.answer."""

import json
import os
import subprocess
import sys
import time

import worker

FOLDER = os.path.dirname(os.path.abspath(__file__))


class Peer:
    """A worker process; its standard error goes to a log file."""

    def __init__(self, name, script, arguments, log_folder):
        self.name = name
        log = open(os.path.join(log_folder, f"{name}.log"), "w", encoding="utf-8")
        command = [sys.executable, os.path.join(FOLDER, script), *map(str, arguments)]
        begin = time.perf_counter()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        self.log = log.name
        self.modes = self.reply()["modes"]
        self.load_seconds = time.perf_counter() - begin

    def without(self, mode):
        """The same, but for one of its modes."""
        self.modes = [each for each in self.modes if each != mode]
        return self

    def reply(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended unexpectedly; its log: {self.log}")
        return json.loads(line)

    def generate(self, mode, ids, new_tokens):
        self.process.stdin.write(json.dumps({"mode": mode, "ids": ids, "new_tokens": new_tokens}) + "\n")
        self.process.stdin.flush()
        return self.reply()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Speclab:
    """`speclab generate`, a process a call; the seconds it reports leave out loading."""

    name = "speclab"
    load_seconds = None  # each call loads anew
    options = {
        "plain": ["--drafter", "plain"],
        "prompt_lookup_5": ["--drafter", "prompt_lookup", "--speculation-length", "5"],
        "prompt_lookup_10": ["--drafter", "prompt_lookup", "--speculation-length", "10"],
        "small_transformer": ["--drafter", "small_transformer"],
        "small_transformer_4": ["--drafter", "small_transformer", "--speculation-length", "4"],
    }
    cuda_modes = ["plain", "small_transformer", "small_transformer_4"]

    def __init__(self, program, threads, drafter, device):
        self.command = [program, "generate", "--json", "--temperature", "0", "--ignore-eos", "--threads", str(threads), "--device", device]
        if device == "cuda":
            self.command += ["--rounds", "device"]
        has_drafter = os.path.exists(os.path.join(drafter, "config.json"))
        modes = self.cuda_modes if device == "cuda" else [mode for mode in self.options if mode != "small_transformer_4"]
        self.modes = [mode for mode in modes if not mode.startswith("small_transformer") or has_drafter]

    def run(self, *options):
        result = subprocess.run([*self.command, *options], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise SystemExit(f"{' '.join(self.command)} ended with {result.returncode}: {result.stderr.strip()}")
        return json.loads(result.stdout)

    def prompt_ids(self, text):
        """Ids of a user message in the model's chat form."""
        return self.run("--prompt", text, "--max-new-tokens", "1", "--drafter", "plain")["prompt_ids"]

    def generate(self, mode, ids, new_tokens):
        result = self.run("--prompt-ids", ",".join(map(str, ids)), "--max-new-tokens", str(new_tokens), *self.options[mode])
        return worker.answer(result["output_ids"], result["rounds"][0]["emitted"], result["time_to_first_token_seconds"],
                             result["prefill_seconds"] + result["decode_seconds"])

    def close(self):
        pass


def start_all(options, drafter, log_folder):
    """All contestants, loaded and warmed up by nothing yet."""
    os.makedirs(log_folder, exist_ok=True)
    if not os.path.exists(os.path.join(drafter, "config.json")):
        print(f"no drafter at {drafter}: the modes assisted and small_transformer are left out; train it with speclab train", file=sys.stderr)
    speclab = Speclab(options.speclab, options.threads, drafter, options.device)
    hugging_face = lambda dtype: Peer("hf_" + dtype, "hf_worker.py", [options.model, dtype, options.threads, drafter, options.device], log_folder)
    if options.device == "cuda":
        return [speclab, hugging_face("bfloat16")]
    return [speclab, hugging_face("float32"), hugging_face("bfloat16"), Peer("llama_cpp", "llama_cpp_worker.py", [options.model, options.threads], log_folder).without("rows_8")]
