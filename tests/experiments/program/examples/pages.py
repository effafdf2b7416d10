"""The commands that the pages show: code blocks, indented blocks and code spans."""

import re

PAGES = ("README.md", "experiments/COMMANDS.md", "engines/MODES.md")
PROGRAMS = ("speclab ", "build/release/speclab ", "scripts/", "echo ", "printf ", "mkdir ")


def parts_of(text):
    """Lines of code blocks without a language and of indented blocks; the text outside blocks."""
    code, prose, fence = [], [], None
    for line in text.splitlines():
        if line.startswith("```"):
            fence = line if fence is None else None
        elif fence == "```" or (fence is None and line.startswith("    ")):
            code.append(line[4:] if fence is None else line)
        elif fence is None:
            prose.append(line)
    return code, "\n".join(prose)


def commands_of_lines(lines):
    """Whole commands, without comments: a command goes on while a quote is open."""
    commands, command = [], ""
    for line in lines:
        if not command and not line.startswith(PROGRAMS):
            continue
        command += ("\n" if command else "") + line
        if command.count("'") % 2 == 0:
            commands.append(re.sub(r"\s+#.*$", "", command))
            command = ""
    return commands


def commands_of(text):
    """All commands of a page, in order, each once."""
    code, prose = parts_of(text)
    commands = commands_of_lines(code)
    for span in re.findall(r"`([^`]+)`", prose):
        span = re.sub(r"\s*\n\s*", " ", span).replace("\\|", "|")
        if span.startswith(("speclab ", "build/release/speclab ")):
            commands.append(span)
    return list(dict.fromkeys(commands))


def block_of(text, language):
    """The first code block of a language."""
    return re.search(rf"^```{language}\n(.*?)^```$", text, re.M | re.S).group(1)
