"""Overloads without alias annotations whose results share memory with arguments, or that change arguments.

    python3 hidden_effects.py CASES_DIR OUT.json

Every such ATen overload is called, and storages and values are looked at before and after: on the recorded calls of
CASES_DIR (`ops/make_ops.py`; run this beside `ops/check_ops.py`), on PyTorch's own samples (`op_db`, at the level that
export sees), and on arguments tried out, in a process of its own with three seconds for each overload. What is found
is `alias:ARGUMENT` or `write:ARGUMENT` by overload.
"""
import glob
import itertools
import json
import os
import pickle
import signal
import sys
import warnings

import torch
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.schema_check_mode import SchemaCheckMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "ops"))
warnings.filterwarnings("ignore")
torch.set_num_threads(1)

found = {}


def is_plain(func):
    arguments, returns = func._schema.arguments, func._schema.returns
    return func.namespace == "aten" and all(x.alias_info is None for x in (*arguments, *returns))


def tensors_of(value):
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def storage_of(tensor):
    try:
        return tensor.untyped_storage()._cdata if tensor.layout == torch.strided else None
    except Exception:
        return None


def same(before, after):
    if before.shape != after.shape:
        return False
    if before.is_floating_point():
        before, after = torch.nan_to_num(before), torch.nan_to_num(after)
    return torch.equal(before, after)


def observe(func, args, kwargs):
    names = [argument.name for argument in func._schema.arguments]
    given = {names[i]: value for i, value in enumerate(args)} | kwargs
    inputs = [(name, tensor) for name, value in given.items() for tensor in tensors_of(value)]
    before = [tensor.detach().clone() if tensor.layout == torch.strided else None for _, tensor in inputs]
    result = func(*args, **kwargs)
    storages = {storage_of(tensor): name for name, tensor in inputs if storage_of(tensor) is not None}
    for tensor in tensors_of(result):
        if storage_of(tensor) in storages:
            found.setdefault(str(func), set()).add("alias:" + storages[storage_of(tensor)])
    for old, (name, tensor) in zip(before, inputs):
        if old is not None and not same(old, tensor.detach()):
            found.setdefault(str(func), set()).add("write:" + name)
    return result


def recorded(folder):
    from check_ops import File

    for path in sorted(glob.glob(f"{folder}/*.safetensors")):
        packet, overload = os.path.basename(path).removesuffix(".safetensors").rsplit(".", 1)
        func = getattr(getattr(torch.ops.aten, packet), overload)
        if not is_plain(func):
            continue
        file = File(path)
        for case in file.cases:
            try:
                args = [file.value(value) for value in case["args"]]
                observe(func, args, {name: file.value(value) for name, value in case["kwargs"].items()})
            except Exception:
                continue


class Above(SchemaCheckMode):
    """The PreDispatch stack takes only a few classes; this is one that fits."""

    busy = False

    def __init__(self):
        TorchDispatchMode.__init__(self, _dispatch_key=torch._C.DispatchKey.PreDispatch)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        with torch._C._DisablePythonDispatcher():
            if self.busy or not is_plain(func):
                return func(*args, **kwargs)
            self.busy = True
            try:
                return observe(func, args, kwargs)
            finally:
                self.busy = False


def samples():
    from torch.testing._internal.common_methods_invocations import op_db

    for op in op_db:
        if not op.dtypes:
            continue
        dtype = torch.float32 if torch.float32 in op.dtypes else sorted(op.dtypes, key=str)[0]
        try:
            for sample in itertools.islice(op.sample_inputs("cpu", dtype), 25):
                try:
                    with enable_python_dispatcher(), Above():
                        op(sample.input, *sample.args, **sample.kwargs)
                except Exception:
                    continue
        except Exception:
            continue


SHAPES = [(4, 3), (4,), (4, 4), (1, 4, 4), (1, 1, 4, 4), ()]


def values_for(argument, shape):
    kind = str(argument.type)
    optional = [None] if kind.startswith("Optional") else []
    default = [argument.default_value] if argument.has_default_value() else []
    if kind in ("Tensor", "Optional[Tensor]"):
        return [torch.rand(shape), *optional] + ([torch.rand(shape[-1:])] if len(shape) > 1 else [])
    if kind == "List[Tensor]":
        return [[torch.rand(shape)]]
    if kind == "List[Optional[Tensor]]":
        return [[None], [torch.arange(3)]]
    if "List[int]" in kind or "List[SymInt]" in kind:
        return default + [list(shape), [0], [1], [1] * len(shape), [0] * len(shape), [], [0, 1]] + optional
    if "int" in kind or "SymInt" in kind:
        if argument.name == "dtype":
            return default + [None, torch.float32] if optional else [torch.float32]
        return default + [0, 1] + optional
    if "List[bool]" in kind:
        return [[True] * 3, [False] * 3]
    if "List[float]" in kind:
        return default + [None, [1.0, 1.0]]
    if "bool" in kind:
        return [False, True]
    if "number" in kind or "Scalar" in kind or "float" in kind:
        return default + [1, 0.0]
    if "str" in kind:
        return default + ["ij->ji", "ij", "none", "mean", "constant", "reflect", "sum"]
    if any(name in kind for name in ("Generator", "Device", "Layout", "MemoryFormat")):
        return [None]
    return default or [None]


def copied(value):
    if isinstance(value, torch.Tensor):
        return value.clone()
    return [copied(item) for item in value] if isinstance(value, list) else value


def attempt(func):
    arguments = func._schema.arguments
    for shape in SHAPES:
        choices = itertools.product(*[values_for(argument, shape) for argument in arguments])
        for chosen in itertools.islice(choices, 400):
            given = [copied(value) for value in chosen]
            args = [value for value, argument in zip(given, arguments) if not argument.kwarg_only]
            kwargs = {a.name: value for value, a in zip(given, arguments) if a.kwarg_only}
            try:
                observe(func, args, kwargs)
            except Exception:
                continue


def attempt_apart(func):
    """A kernel that crashes or never ends takes only its own process along."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        found.clear()

        def finish(*_):
            os.write(writer, pickle.dumps(found))
            os._exit(0)

        signal.signal(signal.SIGALRM, finish)
        signal.alarm(3)
        try:
            attempt(func)
        except BaseException:
            pass
        finish()
    os.close(writer)
    data = b""
    while chunk := os.read(reader, 65536):
        data += chunk
    os.close(reader)
    os.waitpid(child, 0)
    for name, effects in (pickle.loads(data) if data else {}).items():
        found.setdefault(name, set()).update(effects)


def all_overloads():
    for name in sorted(torch._C._dispatch_get_all_op_names()):
        if not name.startswith("aten::"):
            continue
        packet, _, overload = name.removeprefix("aten::").partition(".")
        try:
            func = getattr(getattr(torch.ops.aten, packet), overload or "default")
        except Exception:
            continue
        if is_plain(func) and any("Tensor" in str(argument.type) for argument in func._schema.arguments):
            yield func


recorded(sys.argv[1])
samples()
for overload in all_overloads():
    attempt_apart(overload)
with open(sys.argv[2], "w") as out:
    json.dump({name: sorted(effects) for name, effects in sorted(found.items())}, out, indent=1)
