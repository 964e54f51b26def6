"""Writes fixtures/capture/argument-kinds.json.gz: the calls of api_calls.py with one argument of another kind.

By call, a text for each argument in the order in which it is written, keywords last: for None, an object, NaN, a text,
an empty list and 1.5 in its place, "." where PyTorch gives a result and "x" where it refuses.

Usage (with PyTorch): python3 argument_kinds.py API_CALLS.PY ARGUMENT-KINDS.json.gz
"""
import ast
import copy
import gzip
import json
import logging
import sys
import warnings

import torch
import torch.nn.functional as F

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")

KINDS = {"NONE": None, "OBJECT": object(), "NAN": float("nan"), "TEXT": "text", "EMPTY": [], "FLOAT": 1.5}


def outermost(tree):
    """The first call of a function of torch or F, from the outside."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[0] in ("torch", "F"):
            return node
    return None


def verdict(tree, inputs):
    scope = {"torch": torch, "F": F, **{name: value.clone() for name, value in inputs.items()}, **KINDS}
    try:
        eval(compile(ast.fix_missing_locations(tree), "call", "eval"), scope)
        return "."
    except Exception:
        return "x"


def kinds(text, inputs):
    tree = ast.parse(text, mode="eval")
    call = outermost(tree)
    if call is None or any(isinstance(arg, ast.Starred) for arg in call.args) or verdict(copy.deepcopy(tree), inputs) != ".":
        return None
    found = []
    for at in range(len(call.args) + len(call.keywords)):
        row = ""
        for name in KINDS:
            changed = copy.deepcopy(tree)
            node = outermost(changed)
            value = ast.Name(name, ast.Load())
            if at < len(node.args):
                node.args[at] = value
            else:
                node.keywords[at - len(node.args)].value = value
            row += verdict(changed, inputs)
        found.append(row)
    return found


def main(calls, path):
    source = open(calls).read().split("\ndef camel")[0]
    scope = {}
    exec(compile(source, calls, "exec"), scope)
    cases = [line for line in scope["CASES"].strip().split("\n") if line.startswith(("F.", "torch."))]
    wanted = {text: found for text in cases if (found := kinds(text, scope["INPUTS"])) is not None}
    with gzip.GzipFile(path, "wb", mtime=0) as out:
        lines = ",\n".join(f"  {json.dumps(text)}: {json.dumps(found)}" for text, found in wanted.items())
        out.write(("{\n" + lines + "\n}\n").encode())


main(*sys.argv[1:])
