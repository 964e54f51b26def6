"""Asks PyTorch which dtypes its operators refuse: the grid from which dtype_refusals.py makes the table.

    python3 dtype_grid.py targets.json ../../ops-cases/cases grid.jsonl [PART PARTS]

`targets.json` lists the overloads of Sconce: `node dtype_targets.mjs targets.json` writes it. For up to eight recorded calls
of each overload (or calls made from its schema, where none is recorded) the dtypes of the tensors are replaced:

  U d      of all tensors that have a floating or complex dtype, or that of the first tensor
  S n d    of the n-th tensor
  P d e    of the first and the second tensor, each with each (for the first recorded call)
  D d      of the argument `dtype`

and the call is made on fake tensors, as an export makes it, and on the CPU. A row is [change, refusal of fakes, refusal of the
CPU]. What the recorded calls give is added (`recorded`), so that no valid call is refused. A crash loses only its overload.
"""

import collections
import glob
import json
import logging
import os
import re
import sys
import warnings

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")
torch.set_num_threads(1)
try:
    import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed
except ImportError:
    pass

NAMES = (
    "float64 float32 float16 bfloat16 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu int8 int16 int32 "
    "int64 uint8 uint16 uint32 uint64 bool complex32 complex64 complex128"
).split()
DTYPES = [getattr(torch, name) for name in NAMES]
FLOAT8 = DTYPES[4:9]
SHORT = dict(
    zip(
        "f64 f32 f16 bf16 f8e4m3fn f8e5m2 f8e4m3fnuz f8e5m2fnuz f8e8m0fnu i8 i16 i32 i64 u8 u16 u32 u64 b8 c32 c64 c128".split(),
        DTYPES,
    )
)
KEY = re.compile(r"^(\w+)\[([^\]]*)\](?:\{([^}]*)\})?(?:@(\d+))?$")
NUMBERS = ("number", "Scalar", "Scalar?", "Optional[number]", "Optional[Scalar]", "Tensor", "Optional[Tensor]")
FAKE = FakeTensorMode(allow_non_fake_inputs=False)


class Unknown(Exception):
    """A recorded value that is not rebuilt here."""


def number(text):
    if not isinstance(text, str):
        return text
    if text.startswith("0x"):
        return float("nan")
    return float(text) if text in ("inf", "-inf", "nan", "-nan") or "." in text or "e" in text else int(text)


def tensor_of(match, values):
    dtype, shape = SHORT[match[1]], [int(size) for size in match[2].split(",") if size.strip()]
    if values is None:
        raise Unknown
    flat = [number(value) for value in values]
    if dtype.is_complex:
        flat = [complex(re_, im) for re_, im in zip(flat[::2], flat[1::2])]
        made = torch.tensor(flat, dtype=torch.complex128).to(dtype)
    elif dtype in (torch.uint64, torch.int64):
        made = torch.tensor([int(value) for value in flat], dtype=dtype)
    else:
        made = torch.tensor(flat, dtype=torch.float64 if dtype.is_floating_point else None).to(dtype) if flat else torch.zeros(0, dtype=dtype)
    made = made.reshape(shape)
    if match[3] is None or made.numel() == 0:
        return made
    strides, offset = [int(stride) for stride in match[3].split(",") if stride.strip()], int(match[4] or 0)
    if not all(stride > 0 or size == 1 for stride, size in zip(strides, shape)):
        return made
    memory = torch.zeros(offset + 1 + sum((size - 1) * stride for size, stride in zip(shape, strides)), dtype=dtype)
    view = memory.as_strided(shape, strides, offset)
    view.copy_(made)
    return view


def value_of(value, lists):
    if isinstance(value, list):
        return [value_of(item, lists) for item in value]
    if not isinstance(value, dict):
        return value
    for key, read in (("float", float), ("int", int), ("device", torch.device)):
        if key in value:
            return read(value[key])
    for key in ("dtype", "memory_format", "layout"):
        if key in value:
            return getattr(torch, value[key])
    for key, values in value.items():
        match = KEY.match(key)
        if match and not value.get("storage"):
            return tensor_of(match, lists[values] if isinstance(values, str) else values)
    raise Unknown(str(value)[:100])


def load(folder):
    calls = collections.defaultdict(list)
    for path in sorted(glob.glob(f"{folder}/*.jsonl")):
        lists = {}
        for line in open(path, encoding="utf-8"):
            if not line.strip():
                continue
            call = json.loads(line)
            if "values" in call:
                lists[call["values"]] = call["list"]
            else:
                calls[call["op"]].append((call, lists))
    return calls


def built(call, lists):
    return value_of(call["args"], lists), {name: value_of(value, lists) for name, value in call.get("kwargs", {}).items()}


def overload(target):
    namespace, name, which = target.split(".")
    return getattr(getattr(getattr(torch.ops, namespace), name), which)


def tensors_in(value, path=()):
    if isinstance(value, torch.Tensor):
        yield path, value
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from tensors_in(item, path + (i,))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from tensors_in(item, path + (key,))


def converted(tensor, dtype):
    """The tensor in another dtype, with values that every dtype holds."""
    if tensor.dtype == dtype:
        return tensor.clone()
    x = tensor
    if x.is_complex() and not dtype.is_complex:
        x = torch.view_as_real(x.to(torch.complex128))[..., 0]
    if x.dtype in FLOAT8:
        x = x.float()
    if dtype == torch.bool:
        return x != 0
    if not dtype.is_floating_point and not dtype.is_complex:
        if x.dtype.is_floating_point:
            x = torch.nan_to_num(x.double(), nan=1, posinf=3, neginf=-3).clamp(-100, 100).round()
        if not dtype.is_signed and x.dtype.is_signed:
            x = x.abs()
        return x.to(dtype)
    if dtype == torch.float8_e8m0fnu:
        x = x.to(torch.float32).abs() + 1
    if dtype == torch.complex32:
        return x.to(torch.complex64).to(dtype)
    return x.to(x.dtype if dtype.is_complex or x.dtype == torch.float64 else torch.float32).to(dtype)


def rebuilt(value, new, path=()):
    if isinstance(value, torch.Tensor):
        return new[path] if path in new else value.clone()
    if isinstance(value, list):
        return [rebuilt(item, new, path + (i,)) for i, item in enumerate(value)]
    if isinstance(value, dict):
        return {key: rebuilt(item, new, path + (key,)) for key, item in value.items()}
    return value


def faked(value):
    if isinstance(value, torch.Tensor):
        return FAKE.from_tensor(value)
    if isinstance(value, list):
        return [faked(item) for item in value]
    return {key: faked(item) for key, item in value.items()} if isinstance(value, dict) else value


def refusal(run):
    try:
        torch.manual_seed(0)
        run()
        return None
    except Exception as error:
        return f"{type(error).__name__}: {str(error).strip().splitlines()[0].strip() if str(error).strip() else ''}"[:300]


def on_cpu(function, args, kwargs):
    return refusal(lambda: function(*args, **kwargs))


def on_fakes(function, args, kwargs):
    def run():
        fake_args, fake_kwargs = faked(args), faked(kwargs)
        with FAKE:
            function(*fake_args, **fake_kwargs)

    return refusal(run)


INDEX_NAMES = ("index", "indices", "target", "n_boundary", "lengths", "pivots", "LU_pivots")


def from_schema(function):
    """Calls that the schema suggests, of several ranks."""
    for shape in ((3, 3), (4,), (2, 3, 4, 4), (2, 3, 4), (), (2, 3, 4, 4, 4), (2, 4, 4)):
        args, kwargs = [], {}
        for argument in function._schema.arguments:
            kind = str(argument.type)
            if argument.has_default_value():
                continue
            if kind == "Tensor":
                if argument.name == "mask":
                    value = torch.ones(shape, dtype=torch.bool)
                else:
                    value = torch.zeros(shape, dtype=torch.int64) if argument.name in INDEX_NAMES else torch.rand(shape) + 0.5
            elif kind.startswith("Optional"):
                value = None
            elif kind == "List[Tensor]":
                value = [torch.rand(shape) + 0.5, torch.rand(shape) + 0.5]
            elif kind in ("int", "SymInt"):
                value = 1
            elif kind in ("float", "number", "Scalar"):
                value = 2 if argument.name in ("n", "other", "exponent") else 1.0
            elif kind == "bool":
                value = False
            elif kind in ("List[int]", "List[SymInt]"):
                value = [0] if "dim" in argument.name else [2] * max(1, len(shape) - 2)
            elif kind == "str":
                value = "mean" if "reduce" in argument.name else "L"
            else:
                break
            if argument.kwarg_only:
                kwargs[argument.name] = value
            else:
                args.append(value)
        else:
            yield args, kwargs


def rank_of(call):
    text, tags = json.dumps(call["args"]) + json.dumps(call.get("kwargs", {})), call.get("tags", [])
    return ("empty" in tags, "nonfinite" in tags or call.get("from") == "edges", "noncontiguous" in tags, "f32[" not in text, len(text))


def samples_of(function, calls):
    """Calls with different ranks, kinds of dtypes and settings that PyTorch takes."""
    found, seen = [], set()
    for call, lists in sorted((pair for pair in calls if "error" not in pair[0]), key=lambda pair: rank_of(pair[0])):
        try:
            args, kwargs = built(call, lists)
        except Exception:
            continue
        tensors = [tensor for _, tensor in tensors_in([args, kwargs])]
        empty = any(tensor.numel() == 0 for tensor in tensors)
        kinds = str([(path, tensor.dtype.is_floating_point, tensor.dim()) for path, tensor in tensors_in([args, kwargs])])
        key = (kinds, empty, str([arg for arg in args if isinstance(arg, (str, bool))]))
        full = len(seen) >= 8 and not (empty and not any(has for _, has, _ in seen))
        if key in seen or full or on_cpu(function, rebuilt(args, {}), rebuilt(kwargs, {})) is not None:
            continue
        seen.add(key)
        found.append((args, kwargs, call.get("id", ""), empty))
    if not found and not calls:
        for args, kwargs in from_schema(function):
            if on_cpu(function, rebuilt(args, {}), rebuilt(kwargs, {})) is None:
                found.append((args, kwargs, "schema", any(tensor.numel() == 0 for _, tensor in tensors_in([args, kwargs]))))
            if len(found) >= 3:
                break
    return found


def settings_of(function, args, kwargs):
    """Python numbers in the place of tensors and scalars, other settings, and `dtype`, by name."""
    scalars, settings, dtype = {}, {}, None
    for i, argument in enumerate(function._schema.arguments):
        default = argument.default_value if argument.has_default_value() else None
        given = args[i] if i < len(args) and not argument.kwarg_only else default
        value, kind = kwargs.get(argument.name, given), str(argument.real_type)
        if isinstance(value, (bool, int, float, complex)) and kind in NUMBERS:
            scalars[argument.name] = type(value).__name__
        if isinstance(value, (str, bool)) or (value is None and kind.startswith("Optional")):
            settings[argument.name] = value
        if isinstance(value, torch.dtype) and argument.name == "dtype":
            dtype = str(value)[6:]
    return scalars, settings, dtype


def described(function, args, kwargs):
    scalars, settings, dtype = settings_of(function, args, kwargs)
    tensors = [["/".join(map(str, path)), str(tensor.dtype)[6:], list(tensor.shape)] for path, tensor in tensors_in([args, kwargs])]
    return dict(t=tensors, scal=scalars, st=settings, dt=dtype, empty=any(0 in shape for _, _, shape in tensors))


def grid_of(function, args, kwargs, pairs):
    tensors = list(tensors_in([args, kwargs]))
    by_path, rows = dict(tensors), []

    def row(change, new, dtype=None):
        call_args, call_kwargs = rebuilt([args, kwargs], {path: converted(by_path[path], to) for path, to in new})
        if dtype is not None:
            position, to = dtype
            if position is None or position >= len(call_args):
                call_kwargs["dtype"] = to
            else:
                call_args[position] = to
        rows.append((change, on_fakes(function, call_args, call_kwargs), on_cpu(function, call_args, call_kwargs)))

    main = [path for path, tensor in tensors if tensor.dtype.is_floating_point or tensor.dtype.is_complex]
    if tensors:
        main = main or [path for path, tensor in tensors if tensor.dtype == tensors[0][1].dtype]
        for i, to in enumerate(DTYPES):
            row(["U", i], [(path, to) for path in main])
        for n, (path, _) in enumerate(tensors[:6] if len(tensors) > 1 else []):
            for i, to in enumerate(DTYPES):
                row(["S", n, i], [(path, to)])
        if pairs and len(tensors) > 1:
            for i, to in enumerate(DTYPES):
                for k, other in enumerate(DTYPES):
                    row(["P", i, k], [(tensors[0][0], to), (tensors[1][0], other)])
    for position, argument in enumerate(function._schema.arguments):
        if argument.name == "dtype" and "int" in str(argument.type) and function._schema.name.split("::")[1] not in ("view", "_to_copy"):
            for i, to in enumerate(DTYPES):
                row(["D", i], [], (None if argument.kwarg_only or position > len(args) else position, to))
    return ["/".join(map(str, path)) for path in main], rows


def recorded_of(function, calls):
    """The dtypes of all recorded calls, with the refusals of the CPU and of fakes."""
    found = []
    for call, lists in calls:
        try:
            args, kwargs = built(call, lists)
        except Exception:
            continue
        refused = [None, None]
        if "error" in call:
            refused = [on_cpu(function, rebuilt(args, {}), rebuilt(kwargs, {})), on_fakes(function, rebuilt(args, {}), rebuilt(kwargs, {}))]
            if refused[0] is None:
                continue
        found.append(dict(described(function, args, kwargs), refused=refused))
    return found


def answers(target, calls):
    try:
        function = overload(target)
    except AttributeError as error:
        return dict(target=target, missing=str(error))
    samples = []
    found = samples_of(function, calls)
    for n, (args, kwargs, name, _) in enumerate(found):
        main, rows = grid_of(function, args, kwargs, n == 0 or (n == 1 and found[0][3]))
        samples.append(dict(described(function, args, kwargs), id=name, main=main, rows=rows))
    return dict(target=target, samples=samples, recorded=recorded_of(function, calls))


def main(targets, cases, out, part=0, parts=1):
    calls = load(cases)
    FAKE.from_tensor(torch.ones(2))
    with open(targets, encoding="utf-8") as file:
        names = [entry["target"] for entry in json.load(file)]
    with open(out, "w", encoding="utf-8") as file:
        for target in names[int(part) :: int(parts)]:
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(read)
                with os.fdopen(write, "w") as pipe:
                    pipe.write(json.dumps(answers(target, calls.get(target, []))))
                os._exit(0)
            os.close(write)
            with os.fdopen(read) as pipe:
                text = pipe.read()
            os.waitpid(child, 0)
            file.write((text or json.dumps(dict(target=target, crashed=True))) + "\n")
            file.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
