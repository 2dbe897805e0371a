"""The page of the HTTP API: what openapi.yaml describes, in place of `<!-- routes of … -->`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from sphinx.application import Sphinx

_HERE = re.compile(r"^<!-- routes of (\S+) -->$", re.MULTILINE)


def _cell(text: str) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")


def _named(reference: str) -> str:
    name = reference.rsplit("/", 1)[1]
    return f"[{name}](#{name.lower()})"


def _kind(schema: dict[str, Any]) -> str:
    """The type of a value in a few words."""
    if "$ref" in schema:
        return _named(schema["$ref"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " or ".join(_kind(one) for one in schema[word])
    kind = schema.get("type", "anything")
    kind = " or ".join(kind) if isinstance(kind, list) else kind
    if "items" in schema:
        return f"{kind} of {_kind(schema['items'])}"
    if kind == "object" and "properties" in schema:
        return "object with " + ", ".join(f"`{name}`" for name in schema["properties"])
    return kind


def _bodies(content: dict[str, Any]) -> str:
    return ", ".join(
        f"`{media}`: {_cell(what['schema'].get('description') or _kind(what['schema']))}"
        for media, what in content.items()
    )


def _route(path: str, item: dict[str, Any], api: dict[str, Any]) -> Iterator[str]:
    for method in ("get", "post"):
        if method not in item:
            continue
        call = item[method]
        yield f"### {call['summary']}\n\n`{method.upper()} {path}`\n\n"
        if "description" in call:
            yield call["description"] + "\n\n"
        scope = "none" if call.get("security") == [] else call["x-scope"]
        yield f"- Scope: {scope}\n"
        for parameter in (*item.get("parameters", ()), *call.get("parameters", ())):
            if "$ref" in parameter:
                parameter = api["components"]["parameters"][parameter["$ref"].rsplit("/", 1)[1]]
            kind = _kind(parameter["schema"])
            where = parameter["in"]
            yield f"- `{parameter['name']}` ({where}, {kind}): {parameter['description']}\n"
        if "requestBody" in call:
            yield f"- Body: {_bodies(call['requestBody']['content'])}\n"
        errors = []
        for status, answer in call["responses"].items():
            if "$ref" in answer:
                answer = api["components"]["responses"][answer["$ref"].rsplit("/", 1)[1]]
            if status >= "400":
                errors.append(f"[{status}](#statuses)")
                continue
            body = f" {_bodies(answer['content'])}" if "content" in answer else ""
            yield f"- {status}: {_cell(answer['description'])}{body}\n"
        if errors:
            yield f"- Errors: {', '.join(errors)}\n"
        yield "\n"


def _statuses(api: dict[str, Any]) -> Iterator[str]:
    """What each status of an error means, wherever it occurs."""
    meanings: dict[str, str] = {}
    for item in api["paths"].values():
        for call in (item[method] for method in ("get", "post") if method in item):
            for status, answer in call["responses"].items():
                if "$ref" in answer and status >= "400":
                    name = answer["$ref"].rsplit("/", 1)[1]
                    meanings[status] = api["components"]["responses"][name]["description"]
    yield "## Statuses\n\nThe body of each is an [Error](#error).\n\n"
    yield "| status | meaning |\n|---|---|\n"
    for status in sorted(meanings):
        yield f"| {status} | {_cell(meanings[status])} |\n"
    yield "\n"


def _schema(name: str, schema: dict[str, Any]) -> Iterator[str]:
    yield f"### {name}\n\n"
    if "description" in schema:
        yield schema["description"] + "\n\n"
    if "properties" not in schema:
        yield f"{_kind(schema)}\n\n".capitalize()
        return
    required = schema.get("required", ())
    yield "| field | type | meaning |\n|---|---|---|\n"
    for field, what in schema["properties"].items():
        mark = "" if field in required or not required else " (optional)"
        yield f"| `{field}` | {_cell(_kind(what))}{mark} | {_cell(what.get('description', ''))} |\n"
    yield "\n"


def page(api: dict[str, Any]) -> str:
    """Markdown for all routes by tag, and for what goes in and out."""
    parts = [" ".join(api["info"]["description"].split()) + "\n\n"]
    for tag in api["tags"]:
        parts.append(f"## {tag['name']}\n\n")
        for path, item in api["paths"].items():
            calls = [item[method] for method in ("get", "post") if method in item]
            if any(call["tags"][0] == tag["name"] for call in calls):
                parts += _route(path, item, api)
    parts += _statuses(api)
    parts.append("## Bodies\n\n")
    for name, schema in api["components"]["schemas"].items():
        parts += _schema(name, schema)
    return "".join(parts)


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    if match := _HERE.search(source[0]):
        file = (Path(app.srcdir) / name).parent / match[1]
        app.env.note_dependency(str(file))
        source[0] = _HERE.sub(lambda _: page(yaml.safe_load(file.read_text())), source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", _read)
    return {"parallel_read_safe": True}
