#!/usr/bin/env python3
"""Runs a command that gets a signal after some seconds, and returns its exit code as a shell has it.
Usage: stop_after.py SIGNAL SECONDS COMMAND...

The command may take as long to stop as the machine needs, which may be busy with other things. It is
killed when it has worked for five more seconds of processor time, and after two minutes in which it
may have waited for nothing: then it does not stop."""
import os
import signal
import subprocess
import sys
import time

LONGEST_WORK_S = 5.0
LONGEST_WAIT_S = 120.0
LOOK_S = 0.02


def work_s(pid):
    """Processor time of a process that has not been waited for."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stop(process, number):
    process.send_signal(number)
    begin, last = work_s(process.pid), time.monotonic() + LONGEST_WAIT_S
    while True:
        try:
            return process.wait(LOOK_S)
        except subprocess.TimeoutExpired:
            if work_s(process.pid) - begin > LONGEST_WORK_S or time.monotonic() > last:
                process.kill()


def main(name, seconds, *command):
    number = getattr(signal, "SIG" + name)
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)  # a shell's background has it ignored
    process = subprocess.Popen(command)
    try:
        code = process.wait(float(seconds))
    except subprocess.TimeoutExpired:
        code = stop(process, number)
    return 128 - code if code < 0 else code


sys.exit(main(*sys.argv[1:]))
