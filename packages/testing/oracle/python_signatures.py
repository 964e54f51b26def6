"""Writes the signatures of PyTorch's Python argument parser, in the order in which it tries them:

    oracle/py python_signatures.py > packages/torch/src/functions/signature-lines.ts

Groups and orders overloads as PyTorch's code generator does (tools/autograd/gen_python_functions.py)
and keeps those whose text is in libtorch_python. A line is the name of a function, then its
overloads: `add Tensor/out !self,alpha,other/`. `/out` names the overload for `out=`, `!` a
deprecated order of arguments, of the first overload; a `/` after it says that it takes `out=`.
Overloads for named dimensions are left out: Sconce has none.
"""
import collections
import glob
import os
import re

import torch
import torchgen
import yaml
from torchgen.api.python import signature
from torchgen.gen import parse_native_yaml
from torchgen.model import FunctionSchema, Variant

PACKAGED = os.path.join(os.path.dirname(torchgen.__file__), "packaged")
NATIVE = os.path.join(PACKAGED, "ATen", "native")
HOMES = {
    "torch": torch._C._VariableFunctions,
    "nn": torch._C._nn,
    "fft": torch._C._fft,
    "linalg": torch._C._linalg,
    "special": torch._C._special,
    "Tensor": torch._C.TensorBase,
}


# SKIP_PYTHON_BINDINGS_SIGNATURES of the code generator
NOT_BOUND = {f"{name}{suffix}.Scalar" for name in ("add", "sub", "mul", "div") for suffix in ("", "_")}


def is_arg_smaller(left, right):
    a, b = str(left), str(right)
    return (
        (a == "Scalar" and b == "Tensor")
        or (a == "Scalar?" and b == "Tensor?")
        or ("Dimname" in a and "Dimname" not in b)
        or (a == "int[]" and b in ("int", "int?"))
        or (a == "Tensor[]" and "[]" in b)
        or (a == "SymInt[]" and b == "int[]")
        or (a in ("SymInt", "int") and b == "Tensor")
    )


def is_smaller(a, b):
    x, y = (s.arguments(skip_outputs=True) for s in (a, b))
    if len(x) != len(y) or all(p.type == q.type for p, q in zip(x, y)):
        return False
    return all(str(p.type) == str(q.type) or is_arg_smaller(p.type, q.type) for p, q in zip(x, y))


def in_order(overloads):
    overloads = sorted(overloads, key=lambda o: o["signature"].signature_str(symint=True))
    larger = collections.defaultdict(set)
    for i, a in enumerate(overloads):
        for j, b in enumerate(overloads):
            if is_smaller(a["signature"], b["signature"]):
                larger[i].add(j)
    order = [i for i in range(len(overloads)) if i not in larger]
    for k in range(len(overloads)):
        for j in sorted(larger):
            larger[j].discard(order[k])
            if not larger[j]:
                del larger[j]
                order.append(j)
    return [overloads[i] for i in order]


def deprecated_orders():
    """By name, the deprecated orders of arguments, and whether each takes `out=`."""
    found = collections.defaultdict(dict)
    with open(os.path.join(PACKAGED, "autograd", "deprecated.yaml")) as file:
        for entry in yaml.safe_load(file):
            schema = FunctionSchema.parse(entry["name"])
            order = ",".join(a.name for a in schema.arguments.flat_positional)
            takes_out = entry["aten"].split("(")[0].endswith("_out")
            found[str(schema.name.name)][order] = found[str(schema.name.name)].get(order, False) or takes_out
    return found


def groups_of(functions, method):
    groups = collections.defaultdict(list)
    for f in functions:
        if (Variant.method if method else Variant.function) not in f.variants or (method and f.func.is_out_fn()):
            continue
        if "Dimname" in str(f.func):
            continue
        groups["Tensor" if method else f.python_module or "torch", str(f.func.name.name)].append(f)
    return groups


def overloads_of(name, functions, method, texts):
    bases = {}
    for f in functions:
        if str(f.func.name) in NOT_BOUND:
            continue
        try:
            s = signature(f, method=method)
        except Exception:  # requires_grad_ has an argument that the generator reserves
            continue
        entry = bases.setdefault(s.signature_str(skip_outputs=True, symint=True), {})
        entry["out" if f.func.is_out_fn() else "base"] = f
        entry["signature_out" if f.func.is_out_fn() else "signature"] = s
    for entry in bases.values():
        if "base" not in entry:
            continue
        plain = entry["signature"].signature_str(symint=True)
        if "signature_out" in entry and entry["signature_out"].signature_str(symint=True) in texts:
            yield entry
        elif plain in texts or (method and plain == f"{name}()"):
            entry.pop("out", None)
            yield entry


def word(entry):
    names = [entry[key].func.name.overload_name or "default" for key in ("base", "out") if key in entry]
    return "/".join(names)


def native_functions():
    path = os.path.join(NATIVE, "native_functions.yaml")
    return parse_native_yaml(path, os.path.join(NATIVE, "tags.yaml")).native_functions


def library_texts():
    """The texts of libtorch_python, signatures among them."""
    with open(glob.glob("/usr/lib/*/libtorch_python.so.*")[0], "rb") as library:
        whole = {m.decode("latin1") for m in re.findall(rb"(?<=\x00)([^\x00\n]+)(?=\x00)", library.read())}
    # The linker keeps a text that another ends with as the end of that one: mul(...) in matmul(...).
    return {text[i:] for text in whole for i in range(max(text.find("("), 0) + 1)}


def main():
    native = native_functions()
    texts = library_texts()
    deprecated = deprecated_orders()
    lines = collections.defaultdict(list)
    for method in (False, True):
        for (module, name), functions in groups_of(native, method).items():
            if not callable(getattr(HOMES.get(module), name, None)):
                continue
            kept = list(overloads_of(name, functions, method, texts))
            if not kept:
                continue
            words = [name, *(word(entry) for entry in in_order(kept))]
            words += [f"!{order}" + ("/" if out and not method else "") for order, out in deprecated[name].items()]
            lines[module].append(" ".join(words))
    print("/** @file The signatures of PyTorch's argument parser. Generated; see testing/oracle. */")
    for module in HOMES:
        print(f"export const {module.upper()}_LINES = [")
        for line in sorted(lines[module]):
            print(f'  "{line}",')
        print("] as const;")


if __name__ == "__main__":
    main()
