"""docs/openapi.yaml is valid, and has the routes that the service has."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from openapi_spec_validator import validate

ROOT = Path(__file__).resolve().parents[2]
API = yaml.safe_load((ROOT / "docs" / "openapi.yaml").read_text())
NAMES = {"/v2/models/{}": "/v2/models/{name}", "/assets/{}": "/assets/{file}"}


def routes_of_the_service() -> dict[str, dict[str, object]]:
    """The table in route.cc, by path."""
    text = (ROOT / "src" / "serve" / "route.cc").read_text()
    table = text[text.index("kFacts{{") : text.index("}};")]
    rows = re.findall(r'\{"([^"]+)", (true|false), Scope::(\w+)(?:, "([^"]*)")?\}', table)
    assert len(rows) == table.count("Scope::")  # each row is read
    routes = {}
    for label, post, scope, parameters in rows:
        path = label
        for pattern, named in NAMES.items():
            path = path.replace(pattern, named) if path.startswith(pattern) else path
        routes[path] = {
            "method": "post" if post == "true" else "get",
            "scope": scope,
            "query": set() if parameters == "*" else set(parameters.split()),
        }
    del routes["other"]
    return routes


def test_openapi_is_valid():
    validate(API)


def test_openapi_has_the_routes_of_the_service():
    described = {}
    for path, item in API["paths"].items():
        (method,) = set(item) - {"parameters"}
        call = item[method]
        scope = "none" if call.get("security") == [] else call["x-scope"]
        query = {one["name"] for one in call.get("parameters", ()) if one.get("in") == "query"}
        # Learning needs more than asking: the service looks at the query for that.
        if path.endswith("/rows"):
            assert scope == "learn"
            scope = "predict"
        described[path] = {"method": method, "scope": scope, "query": query}
    assert described == routes_of_the_service()


def test_openapi_names_what_it_refers_to():
    text = (ROOT / "docs" / "openapi.yaml").read_text()
    for kind, name in set(re.findall(r'"#/components/(\w+)/(\w+)"', text)):
        assert name in API["components"][kind], (kind, name)
    for kind in ("schemas", "responses", "parameters"):
        for name in API["components"][kind]:
            assert f"#/components/{kind}/{name}" in text, f"nothing uses {name}"
