"""jinja2 as transformers sets it up for chat templates."""

import json
from datetime import datetime

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment

NOW = datetime(2024, 7, 26, 13, 5, 9)


class Generation(jinja2.ext.Extension):
    """{% generation %}: transformers notes where the assistant speaks; the text is the body."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_text"), [], [], body).set_lineno(line)

    def _text(self, caller):
        return caller()


class Raised(jinja2.TemplateError):
    pass


def raise_exception(message):
    raise Raised(message)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = NOW.strftime
    return env


def outcome(env, source, variables):
    """{"text": ...}, or {"error": kind}: "syntax", "assertion" (of syntax, like an unknown filter), "raised", "limit" or "rendering"."""
    try:
        template = env.from_string(source)
    except jinja2.TemplateAssertionError:
        return {"error": "assertion"}
    except (jinja2.TemplateSyntaxError, SyntaxError):
        return {"error": "syntax"}
    try:
        text = template.render(**variables)
        text.encode("utf-8")
        return {"text": text}
    except Raised as error:
        return {"error": "raised", "message": str(error)}
    except RecursionError:
        return {"error": "limit"}
    except Exception:  # whatever Python raises inside of a template
        return {"error": "rendering"}
