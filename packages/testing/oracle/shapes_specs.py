"""Fills in fixtures/dynamic-shapes/shapes-specs.json.gz: models with a `ShapesSpec`, in Python and in TypeScript, with
PyTorch's programs, or its refusal.

`inputs` are shapes by name, `i64` and `bool` in front of those that are not floats, and numbers; all elements are 1.
`vars` are variables by name: [class, bounds]. `params` are specifications by parameter: a number, null, the name of a
variable, [operator, a, b] on them, or a part: ["T", sizes], ["D", entries], ["S", entries], ["O", fields].
`assumptions` are [relation, a, b]. `kwargs` are names of inputs that are keywords. With `decorated` the specification is
attached to the function; `mode` is another call than `export`; without `strict` only the other mode is recorded. To add a model, add an entry without `wanted`.

`wanted.loaded` is the text of the lowered program after `save` and `load`: false where it is `lowered`, and absent where
PyTorch does not write, read or lower the file.

Usage (with PyTorch): python3 shapes_specs.py SHAPES-SPECS.json.gz
"""
import gzip
import io
import itertools
import json
import logging
import operator
import sys
import warnings

import torch
import torch.nn.functional as F  # noqa: F401
from torch import nn
from torch.export import Dim, draft_export, export, load, save
from torch.fx.experimental import dynamic_spec as ds

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")
DTYPES = {"i64": torch.int64, "bool": torch.bool}
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
             "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
             "max": torch.sym_max, "min": torch.sym_min}


def value(sizes):
    if isinstance(sizes, dict): return {key: value(part) for key, part in sizes.items()}
    if isinstance(sizes, list) and sizes and isinstance(sizes[0], list): return [value(part) for part in sizes]
    if not isinstance(sizes, list): return sizes
    dtype = DTYPES.get(sizes[0] if sizes else None)
    return torch.ones(sizes) if dtype is None else torch.ones(sizes[1:], dtype=dtype)


def model(entry):
    python = entry["python"]
    body = python if "return " in python else f"return {python}"
    lines = "\n        ".join(body.split("\n"))
    scope = {"torch": torch, "F": F, "nn": nn, "dynamic_spec": ds.dynamic_spec, "SPEC": entry.get("spec")}
    mark = "    @dynamic_spec(SPEC)\n" if entry.get("decorated") else ""
    parameters = entry.get("parameters", ", ".join(entry["inputs"]))
    exec(f"class Model(nn.Module):\n{mark}    def forward(self, {parameters}):\n        {lines}", scope)
    return scope["Model"]()


def leaf(given, variables):
    if isinstance(given, str): return variables[given]
    if isinstance(given, list): return OPERATORS[given[0]](leaf(given[1], variables), leaf(given[2], variables))
    return given


def part(given, variables):
    if not isinstance(given, list): return leaf(given, variables)
    kind, inner = given[0], given[1]
    if kind == "T": return ds.TensorSpec([leaf(one, variables) for one in inner])
    if kind == "Dim": return ds.TensorSpec([Dim(inner)])
    if kind == "D": return ds.DictSpec({key: part(one, variables) for key, one in inner.items()})
    if kind == "S": return ds.SeqSpec([part(one, variables) for one in inner])
    if kind == "O": return ds.ObjectSpec({key: part(one, variables) for key, one in inner.items()})
    return leaf(given, variables)


def params(given, variables):
    def one(key, inner):
        if key == "*args" and isinstance(inner, list): return [part(each, variables) for each in inner]
        if key == "**kwargs" and isinstance(inner, dict): return {name: part(each, variables) for name, each in inner.items()}
        return part(inner, variables)
    return {key: one(key, inner) for key, inner in given.items()}


def spec(entry):
    ds.IntVar._uid_counter = itertools.count()
    variables = {name: getattr(ds, kind)(name, **bounds) for name, (kind, bounds) in entry.get("vars", {}).items()}
    given = params(entry["params"], variables)
    if "assumptions" not in entry: return ds.ParamsSpec(given)
    return ds.ShapesSpec(given, assumptions=[leaf(one, variables) for one in entry["assumptions"]])


def message(error):
    text = str(error)
    text = text.split("Consider annotating your code using torch._check*(). ")[-1]
    if "data-dependent expression" in text:
        lines = text.split("\n")
        notes = [line for line in lines if line.startswith("The ShapesSpec/ParamsSpec") or line.startswith("  - ")
                 or line.startswith("The following spec relation")]
        return "\n".join([lines[0], *notes]).split(" For more information about this error")[0]
    return text


def wanted(entry):
    try:
        given = spec(entry)
        entry["spec"] = given
        text, json_text = repr(given), json.dumps(given.to_jsonable(), default=str)
    except (TypeError, ValueError, NotImplementedError) as error:
        return {"refused": str(error)}
    finally:
        built = entry.pop("spec", None)
    keywords = entry.get("kwargs", [])
    args = tuple(value(sizes) for name, sizes in entry["inputs"].items() if name not in keywords)
    args += tuple(value(sizes) for sizes in entry.get("rest", []))
    kwargs = {name: value(entry["inputs"][name]) for name in keywords}
    result = {"spec": text, "json": json_text}
    for strict in (False, True) if entry.get("strict", True) else (False,):
        key = "strict" if strict else "text"
        try:
            made = model({**entry, "spec": built})
            given = None if entry.get("decorated") else built
            if entry.get("mode") == "draft": draft_export(made, args, kwargs, dynamic_shapes=given)
            if entry.get("mode") == "both": made.forward.__func__._dynamic_spec = built
            program = export(made, args, kwargs, dynamic_shapes=given, strict=strict,
                             prefer_deferred_runtime_asserts_over_guards=entry.get("mode") == "deferred")
            result[key] = lines_of(program)
            assert program._guards_code == [], program._guards_code
        except Exception as error:
            result[key + "Refused"] = message(error)
            continue
        try:
            if not strict: result["lowered"] = lines_of(program.run_decompositions())
        except Exception as error:
            result["loweredRefused"] = message(error)
        loaded = None if strict else lowered_file(program)
        if loaded is not None: result["loaded"] = loaded != result.get("lowered") and loaded
    return result


def lowered_file(program):
    """The lowered program of a file; None where PyTorch does not write, read or lower it."""
    buffer = io.BytesIO()
    try:
        save(program, buffer)
        return lines_of(load(io.BytesIO(buffer.getvalue())).run_decompositions())
    except Exception:
        return None


def lines_of(program):
    return "\n".join(line for line in str(program).split("\n") if line.strip() and not line.strip().startswith("#"))


def main(path):
    entries = json.load(gzip.open(path))
    for entry in entries:
        entry["wanted"] = wanted(entry)
    with gzip.GzipFile(path, "wb", mtime=0) as out:
        out.write(("[\n" + ",\n".join("  " + json.dumps(entry) for entry in entries) + "\n]\n").encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
