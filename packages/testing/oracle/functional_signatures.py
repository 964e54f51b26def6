"""Writes the Python signatures of torch.nn.functional, with the types of its annotations:

    oracle/py functional_signatures.py > packages/torch/src/nn/functional-signatures.ts

A line is `name(argument: type = default, ...)`.
"""
import ast
import inspect

import torch.nn.functional as functional


def functions():
    """Public functions that are written in Python; a dispatcher on a flag has two of them."""
    tree = ast.parse(inspect.getsource(functional))
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or any("overload" in ast.unparse(d) for d in node.decorator_list):
            continue
        name = node.name
        if name.endswith("_with_indices"):
            name = name.removesuffix("_with_indices")
        elif name == "_threshold":
            name = "threshold"
        # The scaled products have no twin in Sconce.
        if not name.startswith("_") and name not in ("assert_int_or_pair", "scaled_mm", "scaled_grouped_mm"):
            yield name, node


def type_of(annotation):
    text = "Any" if annotation is None else ast.unparse(annotation)
    return text.replace(" ", "")


def parameter(argument, default):
    text = f"{argument.arg}: {type_of(argument.annotation)}"
    if default is None:
        return text
    value = ast.unparse(default)
    if value in ("1.0 / 8", "1.0 / 3", "torch.bfloat16"):
        value = {"torch.bfloat16": "'bfloat16'"}.get(value) or repr(eval(value))
    return f"{text} = {value}"


def line(name, node):
    arguments = node.args
    defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + arguments.defaults
    parts = [parameter(a, d) for a, d in zip(arguments.args, defaults)]
    if arguments.kwonlyargs:
        parts += ["*", *(parameter(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults))]
    return f"{name}({', '.join(parts)})"


def main():
    print("/** @file Signatures of PyTorch's `nn.functional`. Generated; see testing/oracle. */")
    print("export const FUNCTIONAL_SIGNATURES = [")
    for text in sorted({line(name, node) for name, node in functions()}):
        print(f'  "{text}",')
    print("] as const;")


main()
