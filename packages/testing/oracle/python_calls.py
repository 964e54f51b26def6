"""Records which overload PyTorch's argument parser selects for calls of every function and method:

    oracle/py python_calls.py OUT.jsonl.gz

Each line is `[home, name, arguments, keywords, selected]`: `selected` is the overload that the
dispatcher sees first with its arguments, null where nothing is dispatched, and "TypeError" where no
signature takes the arguments. `$f` is a tensor, {"float": 1} the float 1.0, {"dtype": "int64"} a
dtype. Arguments only have to satisfy the parser: recording stops before the operator runs.

Not recorded: the names in SKIPPED, calls with a keyword argument for which `values` has no value,
calls that PyTorch rejects after parsing, and calls whose operator gets a tensor that is not `$`.
"""
import gzip
import json
import math
import os
import re
import sys

import torch
from torch._dispatch.python import enable_python_dispatcher
from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode
from torch.utils._python_dispatch import TorchDispatchMode

import python_signatures as tables

TENSORS = {
    "$f": torch.ones(2, 3),
    "$i": torch.ones(2, 3, dtype=torch.int64),
    "$b": torch.ones(2, 3, dtype=torch.bool),
    "$s": torch.tensor(2.5),
    "$n": torch.tensor(2),
}
NAMES = {id(tensor): name for name, tensor in TENSORS.items()}
# Private helpers, libraries of devices and quantization, functions of memory and files, and `range`,
# which PyTorch binds by hand.
SKIPPED = re.compile(r"^(_|cudnn|miopen|mkldnn|mps|fbgemm|record_stream|data$|set_$|is_pinned|pin_memory|from_file|empty_quantized|range$|qscheme)")


class Stop(Exception):
    pass


class FirstCall(ProxyTorchDispatchMode):
    """Takes note of the first call that reaches the dispatcher before composite operators are taken apart."""

    def __init__(self):
        TorchDispatchMode.__init__(self, torch._C.DispatchKey.PreDispatch)
        self.pre_dispatch = True
        self.call = None

    def __enter__(self):
        return TorchDispatchMode.__enter__(self)

    def __exit__(self, *args):
        return TorchDispatchMode.__exit__(self, *args)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.call = [str(func).removeprefix("aten."), [encoded(a) for a in args], {k: encoded(v) for k, v in kwargs.items()}]
        raise Stop


def encoded(value):
    if isinstance(value, torch.Tensor):
        return NAMES.get(id(value), "$?")
    if isinstance(value, bool) or value is None or isinstance(value, (int, str)):
        return value
    if isinstance(value, float):
        return {"float": str(value)} if math.isinf(value) or math.isnan(value) or value.is_integer() else value
    if isinstance(value, complex):
        return {"re": value.real, "im": value.imag}
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    if isinstance(value, (torch.device, torch.layout, torch.memory_format)):
        return {type(value).__name__: str(value).removeprefix("torch.")}
    if isinstance(value, (list, tuple)):
        return [encoded(item) for item in value]
    return f"?{type(value).__name__}"


def decoded(value):
    if isinstance(value, str) and value.startswith("$"):
        return TENSORS[value]
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if isinstance(value, dict):
        (kind, item), = value.items()
        if kind == "float":
            return float(item)
        return torch.device(item) if kind == "device" else getattr(torch, item)
    return value


def record(function, args, kwargs):
    mode = FirstCall()
    try:
        with enable_python_dispatcher(), mode:
            function(*[decoded(a) for a in args], **{k: decoded(v) for k, v in kwargs.items()})
    except Stop:
        return mode.call
    except TypeError:
        return "TypeError"
    except Exception:  # refused after parsing
        return mode.call or "Error"
    return None


def values(argument, round_):
    """A value for an argument of the parser; rounds differ."""
    kind = str(argument.type).removesuffix("?")
    if kind == "Tensor":
        return ["$f", "$i", "$b"][round_ % 3]
    if kind.startswith("Tensor") and "[" in kind:
        return ["$f", "$i"]
    if kind == "Scalar":
        return [1, 2.5, True, {"float": "2.0"}][round_ % 4]
    if kind in ("int", "SymInt"):
        return [1, 0, -1][round_ % 3]
    if kind == "float":
        return [0.5, 1, {"float": "1.0"}][round_ % 3]
    if kind == "bool":
        return round_ % 2 == 0
    if kind == "str":
        return "mean"
    if kind == "ScalarType":
        return {"dtype": ["float64", "int64"][round_ % 2]}
    if kind == "Layout":
        return {"layout": "strided"}
    if kind == "Device":
        return {"device": "cpu"}
    if kind == "MemoryFormat":
        return {"memory_format": "contiguous_format"}
    if kind.startswith(("int[", "SymInt[")):
        sized = re.search(r"\[(\d+)\]", kind)
        if sized and round_ % 2 == 0:
            return 1
        return [1] * int(sized[1]) if sized else [0, 1]
    if kind.startswith("bool["):
        return [True] * int(re.search(r"\[(\d+)\]", kind)[1])
    if kind.startswith(("float[", "Scalar[")):
        return [0.5, 1]
    return None


def python_name(argument):
    return "input" if argument.name == "self" else argument.name


def patterns(s):
    """Calls that should select a signature, and some that come near it."""
    positional = list(s.input_args)
    keywords = list(s.input_kwargs) + [a for a in (s.tensor_options_args or [])]
    required = [a for a in positional if a.default is None]
    needed = {a.name: values(a, 0) for a in keywords if a.default is None}
    for round_ in range(2):
        yield [values(a, round_) for a in required], needed
    yield [values(a, 0) for a in positional], needed
    yield [values(a, 1) for a in required], {
        a.name: values(a, 1) for a in positional + keywords if a.default is not None or a in keywords
    }
    yield [], {python_name(a): values(a, 2) for a in positional} | needed
    if required:
        yield [values(a, 0) for a in required[:1]], {python_name(a): values(a, 1) for a in required[1:]} | needed
    for i, a in enumerate(required):
        if str(a.type) == "Tensor":
            yield [2 if j == i else values(b, 0) for j, b in enumerate(required)], needed
        elif str(a.type) in ("Scalar", "int", "SymInt", "float"):
            number = "$s" if str(a.type) in ("Scalar", "float") else "$n"
            yield [number if j == i else values(b, 0) for j, b in enumerate(required)], needed
    if len(positional) == 1 and re.match(r"(Sym)?[iI]nt\[", str(positional[0].type)):
        yield [0, 1], needed
        yield [2], needed
    if any(str(a.type).endswith("?") for a in positional):
        yield [None if str(a.type).endswith("?") else values(a, 0) for a in positional], needed
    yield [values(a, 0) for a in positional] + [1], needed


def main(path):
    native = tables.native_functions()
    texts = tables.library_texts()
    seen, lines = set(), []
    for method in (False, True):
        for (home, name), functions in tables.groups_of(native, method).items():
            function = getattr(tables.HOMES.get(home), name, None)
            if SKIPPED.match(name) or not callable(function):
                continue
            for entry in tables.overloads_of(name, functions, method, texts):
                for args, kwargs in patterns(entry["signature"]):
                    if method:
                        args = ["$f", *args]
                    key = json.dumps([home, name, args, kwargs], separators=(",", ":"))
                    if key in seen or any(v is None for v in kwargs.values()):
                        continue
                    seen.add(key)
                    selected = record(function, args, kwargs)
                    if selected == "Error" or "$?" in json.dumps(selected):
                        continue
                    lines.append(f"{key[:-1]},{json.dumps(selected, separators=(',', ':'))}]\n")
    with open(path, "wb") as out, gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9, mtime=0) as file:
        file.write("".join(lines).encode())
    print(len(lines), os.path.getsize(path))


if __name__ == "__main__":
    main(sys.argv[1])
