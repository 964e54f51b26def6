"""Makes `fixtures/ops/meta-cases.json.gz`: what PyTorch's operators give as dtype, sizes and strides.

Usage: python meta_cases.py FOLDER_OF_OPERATOR_CASES OUTPUT.json

The folder holds one safetensors file per overload, whose metadata lists recorded calls. Values are dropped; for each
overload a few calls are kept that differ in ranks, dtypes, layouts and arguments, and the errors that do not depend on
values.
"""

import json
import struct
import sys
from pathlib import Path

KEEP = 6
# Refusals that look at the values of tensors, which a rule over shapes cannot know.
BY_VALUE = (
    "ZeroDivisionError", "out of range in self", "out of bounds", "probability tensor", "multinomial distribution",
    "Class values", "Number of elements of source", "q must be in the range", "in range of [",
)


def cases_of(path):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    return json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["cases"])


def geometry(value):
    """The value without its data."""
    if "tensor" in value:
        keys = ("dtype", "shape", "strides", "storage_offset", "alias")
        return {"tensor": {key: value[key] for key in keys if key in value}}
    if "list" in value:
        return {"list": [geometry(item) for item in value["list"]]}
    return value


def signature(case):
    """What tells two calls apart: kinds, dtypes, ranks and layouts of the arguments."""

    def kind(value):
        if "tensor" in value:
            return (value["dtype"], len(value["shape"]), "strides" in value, 0 in value["shape"])
        if "list" in value:
            return tuple(kind(item) for item in value["list"])
        return next(iter(value))

    return (
        case["compare"] == "error",
        tuple(kind(value) for value in case["args"]),
        tuple(sorted(case["kwargs"])),
    )


def pick(cases):
    seen, chosen = set(), []
    usable = [c for c in cases if c["compare"] != "error" or not any(t in c["error"]["message"] for t in BY_VALUE)]
    for case in usable:
        if signature(case) not in seen:
            seen.add(signature(case))
            chosen.append(case)
    errors = [case for case in chosen if case["compare"] == "error"][:2]
    return [case for case in chosen if case["compare"] != "error"][: KEEP - len(errors)] + errors


def brief(case):
    out = {
        "args": [geometry(value) for value in case["args"]],
        "kwargs": {key: geometry(value) for key, value in case["kwargs"].items()},
    }
    if case["compare"] == "error":
        return out | {"error": case["error"]["message"].split("\n")[0]}
    return out | {"outputs": [geometry(value) for value in case["outputs"]]}


def main(folder, output):
    lines = []
    for path in sorted(Path(folder).glob("*.safetensors")):
        cases = [json.dumps(brief(case), separators=(",", ":")) for case in pick(cases_of(path))]
        lines.append(f'"aten.{path.stem}":[{",".join(cases)}]')
    Path(output).write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
