"""The types that the web interface is checked with: the API's objects, and what each of its routes takes and answers."""

import typescript_types
from schemas import Schema, parts, reference, without_null
from typescript_types import type_of

METHODS = ("get", "post", "put", "patch", "delete")
PAGE = "Page_"


def module(document: Schema) -> str:
    """The text of the whole declaration file."""
    schemas = dict(document["components"]["schemas"])
    lines = [typescript_types.module(document)]
    for name in sorted(name for name in schemas if name.startswith(PAGE)):
        item = type_of(schemas[name]["properties"]["data"]["items"], schemas)
        lines.append(f"export type {name} = Page<{item}>;")
    lines += [
        "",
        "/** One page of a list. */",
        "export interface Page<T> { data: T[]; next_cursor: string | null; has_more: boolean }",
        "",
        "/** Every route: what it takes in its query and its body, and what it answers. */",
        "export interface Routes {",
    ]
    for path, methods in sorted(document["paths"].items()):
        lines.append(f'  "{path}": {{')
        lines += [f"    {method}: {route(methods[method], schemas)};" for method in METHODS if method in methods]
        lines.append("  };")
    return "\n".join([*lines, "}"]) + "\n"


def route(operation: Schema, schemas: dict[str, Schema]) -> str:
    """One method of a path."""
    fields = []
    for one in operation.get("parameters", []):
        if one["in"] == "query":
            kind = type_of(without_null(one["schema"])[0], schemas)
            fields.append(f"{one['name']}{'' if one.get('required') else '?'}: {kind} | undefined")
    query = f"{{ {'; '.join(fields)} }}" if fields else "Record<string, never>"
    body = content(operation.get("requestBody", {}), schemas) or "undefined"
    answers = [one for status, one in operation["responses"].items() if status.startswith("2")]
    kinds = dict.fromkeys(content(one, schemas) or "null" for one in answers)
    return f"{{ query: {query}; body: {body}; answer: {' | '.join(kinds)} }}"


def content(holder: Schema, schemas: dict[str, Schema]) -> str | None:
    """The type of a body."""
    for kind, media in holder.get("content", {}).items():
        if "json" not in kind or "ndjson" in kind:
            return "string" if kind.startswith("text/") or "ndjson" in kind else "Blob"
        inner, _ = without_null(media["schema"])
        name = reference(inner)
        if name and (name.startswith(PAGE) or "properties" in parts(schemas[name])[1]):
            return name
        return type_of(inner, schemas)
    return None
