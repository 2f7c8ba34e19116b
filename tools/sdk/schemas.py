"""What both generators read from openapi.json: which schemas become types, and what their parts are."""

from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]
# An enumeration longer than this, such as all time zones, is a plain string.
LONGEST_ENUM = 30


def named(document: Schema) -> Iterator[tuple[str, Schema]]:
    """The schemas that become types, by name. Pages are walked by the clients and need none."""
    for name, schema in sorted(document["components"]["schemas"].items()):
        if not name.startswith("Page_"):
            yield name, schema


def reference(schema: Schema) -> str | None:
    """The name of the schema that this one refers to."""
    return schema["$ref"].rsplit("/", 1)[1] if "$ref" in schema else None


def enumeration(schema: Schema) -> list[str] | None:
    """The values of a short enumeration."""
    values = schema.get("enum")
    return values if values and len(values) <= LONGEST_ENUM else None


def parts(schema: Schema) -> tuple[str | None, Schema]:
    """The schema that an object extends, if it extends one, and the object's own part."""
    if "allOf" not in schema:
        return None, schema
    base, own = schema["allOf"]
    return reference(base), own


def without_null(schema: Schema) -> tuple[Schema, bool]:
    """The schema without null, and whether null was allowed."""
    for union in ("oneOf", "anyOf"):
        if union in schema:
            others = [option for option in schema[union] if option.get("type") != "null"]
            if len(others) != 1:
                raise ValueError(f"a union of more than one schema: {schema}")
            return others[0], len(others) < len(schema[union])
    kind = schema.get("type")
    if isinstance(kind, list):
        others = [one for one in kind if one != "null"]
        if len(others) != 1:
            raise ValueError(f"a union of more than one type: {schema}")
        return {**schema, "type": others[0]}, "null" in kind
    return schema, False


def description(schema: Schema) -> str:
    """What a schema says about itself, or about the one it wraps."""
    inner, _ = without_null(schema) if "oneOf" in schema else (schema, False)
    return str(schema.get("description") or inner.get("description") or "").replace("\n", " ")
