"""The OpenAPI document as a judge of real answers."""
import json
import re

import jsonschema

from support.server import ROOT

PATH = ROOT / "src" / "api" / "documents" / "openapi.json"
DOCUMENT = json.loads(PATH.read_text())
METHODS = ("get", "post", "put", "patch", "delete")


def resolve(node):
    while "$ref" in node:
        target = DOCUMENT
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part.replace("~1", "/").replace("~0", "~")]
        node = target
    return node


def validator(schema):
    return jsonschema.Draft202012Validator({**schema, "components": DOCUMENT["components"]})


def check(schema, value):
    error = jsonschema.exceptions.best_match(validator(schema).iter_errors(value))
    assert error is None, f"{error.json_path}: {error.message}"


def operations():
    """(method, path, operation) of everything described."""
    return [(method.upper(), path, item[method])
            for path, item in DOCUMENT["paths"].items() for method in METHODS if method in item]


def operation(method, target):
    path = target.split("?")[0]
    exact = DOCUMENT["paths"].get(path)
    if exact is not None:
        return exact[method.lower()]
    for pattern, item in DOCUMENT["paths"].items():
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", pattern), path):
            return item[method.lower()]
    raise AssertionError(f"{method} {path} is not described")


def check_answer(method, target, answer):
    """The answer must be one that the document promises for this route and status."""
    responses = operation(method, target)["responses"]
    assert str(answer.status) in responses, f"{method} {target}: {answer.status} {answer.text}"
    response = resolve(responses[str(answer.status)])
    media = answer.headers["Content-Type"].split(";")[0]
    assert media in response["content"], media
    for name, header in response.get("headers", {}).items():
        value, header = answer.headers[name], resolve(header)
        if value is None and header.get("required") is False:
            continue
        assert value is not None, f"{method} {target} has no {name}"
        schema = header["schema"]
        check(schema, int(value) if schema.get("type") == "integer" else value)
    if media == "application/json":
        check(response["content"][media]["schema"], answer.json)
    return answer
