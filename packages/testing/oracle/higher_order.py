"""Writes fixtures/higher-order/programs.json.gz: programs with each higher-order operator that PyTorch saves.

A case has the file (base64), its text, the text after run_decompositions() (null where PyTorch refuses that), and
runs: inputs and results ([dtype, shape, values]), and what the program prints. "wrap" and "wrap_checkpoint" are calls of another
operator with the target replaced, since PyTorch's tracer inlines them.

Usage (with PyTorch): python3 higher_order.py OUT.json.gz
"""

import base64
import contextlib
import functools
import gzip
import io
import json
import logging
import sys
import warnings

import torch
from torch import nn
from torch._higher_order_ops.foreach_map import foreach_map
from torch._higher_order_ops.while_loop import while_loop
from torch.export import Dim, export, load, save
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

from program_texts import comparable

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
H, A = torch.ops.higher_order, torch.ops.aten
CASES = {}


def values(*shape, step=7, dtype=torch.float32):
    count = 1
    for size in shape:
        count *= size
    return ((torch.arange(count) * step % 19 - 9) / 8 * (1 if dtype.is_floating_point else 8)).reshape(shape).to(dtype)


def case(*runs, strict=False, dims=None, grad=True, swap=None):
    """Runs are inputs; the first are the example inputs of the export."""

    def add(function):
        CASES[function.__name__] = (function, runs, strict, dims, grad, swap)
        return function

    return add


def recompute(_context, _operator, *_args, **_kwargs):
    return CheckpointPolicy.MUST_RECOMPUTE


CONTEXTS = functools.partial(create_selective_checkpoint_contexts, recompute)


def graph(function, *args, **meta):
    traced = make_fx(function)(*args)
    traced.meta.update(meta)
    return traced


x, y = values(4, 4), values(4, 4, step=5)
bytes_, other_bytes = values(2, 3, dtype=torch.int8), values(3, 4, step=5, dtype=torch.int8)
product = graph(lambda a, b: ((a @ b).sin(),), x, y)
pair = graph(lambda a, b: ((a @ b).sin(), a - b), x, y)
bare = graph(lambda a, b: (a @ b).sin(), x, y)
rows = graph(lambda a, b: (a.sin(), b.cos()), x, y)
checkpointed = graph(lambda a, b: ((a @ b).relu(), (a + 1).sin()), x, y, _checkpoint_context_fn=CONTEXTS)
LOCAL = {"in_placements": ((), ()), "out_placements": ((), ()), "device_mesh": None, "redistribute_inputs": False}
local = graph(lambda a, b: ((a @ b).sin(), a - b), x, y, local_map_kwargs=LOCAL)


@torch.library.custom_op("mine::bump", mutates_args={"x"})
def bump(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x.add_(y)
    return x * 2


@bump.register_fake
def _(x, y):
    return torch.empty_like(x)


@torch.library.custom_op("mine::fill", mutates_args={"out", "more"})
def fill(out: torch.Tensor, more: list[torch.Tensor], value: float, skip: torch.Tensor | None = None) -> None:
    out.fill_(value)
    for i, tensor in enumerate(more):
        tensor.mul_(value + i)


@fill.register_fake
def _(out, more, value, skip=None):
    return None


# out_dtype
@case((bytes_, other_bytes))
def out_dtype_mm(self, a, b): return H.out_dtype(A.mm.default, torch.int32, a, b)
@case((bytes_, other_bytes), dims=({0: Dim.DYNAMIC}, None))
def out_dtype_mm_dynamic(self, a, b): return H.out_dtype(A.mm.default, torch.int32, a, b) * 2
@case((values(2, 4).half(), values(4, 3, step=5).half()))
def out_dtype_mm_half(self, a, b): return H.out_dtype(A.mm.default, torch.float32, a, b)
@case((bytes_, values(2, 3, step=5, dtype=torch.int8)))
def out_dtype_mul(self, a, b): return H.out_dtype(A.mul.Tensor, torch.int32, a, b)
@case((bytes_,))
def out_dtype_mul_scalar(self, a): return H.out_dtype(A.mul.Scalar, torch.int32, a, 100)
@case((bytes_, values(2, 3, step=5, dtype=torch.int8)))
def out_dtype_div(self, a, b): return H.out_dtype(A.div.Tensor, torch.float32, a, b)
@case((bytes_,))
def out_dtype_div_scalar(self, a): return H.out_dtype(A.div.Scalar, torch.float64, a, 3)
@case((values(2, 3, dtype=torch.int8), values(4, 3, step=5, dtype=torch.int8)))
def out_dtype_linear(self, a, b): return H.out_dtype(A.linear.default, torch.int32, a, b)
@case((values(1, 2, 5, 5, dtype=torch.int8), values(3, 2, 3, 3, step=5, dtype=torch.int8)))
def out_dtype_conv(self, a, b): return H.out_dtype(A.convolution.default, torch.int32, a, b, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
@case((values(2, 3, dtype=torch.int8), x))
def out_dtype_in_cond(self, a, b):
    return torch.cond(b.sum() > 0, lambda a: H.out_dtype(A.mul.Tensor, torch.int32, a, a), lambda a: a.to(torch.int32) + 1, (a,))


# foreach_map
@case((x, y), strict=True)
def foreach_map_of_lists(self, a, b): return foreach_map(lambda a, b: a.add(b).sin(), [a, b], [b, a])
@case((x, y), strict=True, dims=({0: Dim("n")}, {0: Dim("n")}))
def foreach_map_dynamic(self, a, b): return foreach_map(lambda a, b: a.mul(b).cos(), [a, b, a], [b, a, a])
@case((x, y), grad=False)
def foreach_map_of_graph(self, a, b): return H.foreach_map(rows, a, b)


# activation checkpoints
@case((x,), (y,))
def tag_checkpoint(self, a): return H.tag_activation_checkpoint(checkpointed, a, self.weight, use_reentrant=False)
@case((x,), (y,), strict=True)
def checkpoint_with_contexts(self, a):
    return checkpoint(lambda a, b: (a @ self.weight).relu().sin() + b, a, a * 2, use_reentrant=False, context_fn=CONTEXTS)
@case((x,), strict=True)
def checkpoint_of_several(self, a):
    first = checkpoint(lambda a: (a.cos(), a @ self.weight), a, use_reentrant=False, context_fn=CONTEXTS)
    return checkpoint(lambda a, b: a * b, *first, use_reentrant=False, context_fn=CONTEXTS).sum()
@case((x,), strict=True, dims=({0: Dim("n")},))
def checkpoint_dynamic(self, a):
    return checkpoint(lambda a: (a @ self.weight).relu(), a, use_reentrant=False, context_fn=CONTEXTS) + a.shape[0]
@case((x,), (y,))
def checkpoint_inlined(self, a): return checkpoint(lambda a: (a @ self.weight).relu().sin(), a, use_reentrant=False)
@case((x,), swap="wrap_activation_checkpoint", grad=False)
def wrap_checkpoint(self, a): return H.tag_activation_checkpoint(checkpointed, a, self.weight)
@case((x,), swap="wrap", grad=False)
def wrap(self, a): return H.foreach_map(pair, a, self.weight)


# regions that run as they are
@case((x,), grad=False)
def run_const_graph(self, a): return H.run_const_graph(pair, (a, self.weight))
@case((x,), grad=False)
def invoke_quant(self, a): return H.invoke_quant(pair, a, self.weight, scheme="nf4")
@case((x,), grad=False)
def invoke_quant_packed(self, a): return H.invoke_quant_packed(product, a, self.weight, scheme="nf4")
@case((x,), grad=False)
def invoke_quant_bare(self, a): return H.invoke_quant(bare, a, self.weight) + 1
@case((x,), grad=False)
def local_map(self, a): return H.local_map_hop(local, a, self.weight)
@case((x,), grad=False)
def hints_wrapper(self, a): return H.hints_wrapper(product, (a, self.weight), {}, hints={"level": 1})
@case((x,), grad=False)
def strict_mode(self, a): return H.strict_mode(product, (a, self.weight))
@case((x,), grad=False)
def invoke_subgraph(self, a): return H.invoke_subgraph(pair, "id", a, self.weight)
@case((x,), grad=False)
def invoke_subgraph_twice(self, a):
    first = H.invoke_subgraph(pair, "id", a, self.weight)
    return H.invoke_subgraph(pair, "id", first[0], first[1])[0] + H.invoke_subgraph(product, "other", a, a)[0]
@case((x,), grad=False)
def regions_of_all_kinds(self, a):
    b = H.foreach_map(pair, a, self.weight)[0]
    c = H.invoke_quant(product, b, a)[0]
    d = H.strict_mode(product, (c, b))[0] + H.hints_wrapper(product, (c, b), {}, hints={})[0]
    return H.strict_mode(pair, (d, c)), H.foreach_map(product, d, c)[0]
@case((x,), grad=False)
def tracepoint(self, a): return H._export_tracepoint(a, kind="module_call_inputs", path="block")[0] + 1
@case((x, y), (-x, y), grad=False)
def regions_in_cond(self, a, b):
    return torch.cond(a.sum() > b.sum(), lambda a, b: H.foreach_map(rows, a, b)[0], lambda a, b: H.invoke_quant(product, a, b)[0] + 1, (a, b))


# while_loop_stack_output
counted = graph(lambda i, a: i < 3, torch.tensor(0), x)
turn = graph(lambda i, a: (i + 1, a.sin()), torch.tensor(0), x)
@case((torch.tensor(0), x), (torch.tensor(2), y), (torch.tensor(3), y), (torch.tensor(-4), x))
def stacked_loop(self, i, a): return H.while_loop_stack_output(counted, turn, (i, a), ())
below = graph(lambda a, b: a.sum() < b.sum(), x, y)
grow = graph(lambda a, b: ((a.abs() + 1),), x, y)
@case((x, y * 0 + 4), (x, y))
def stacked_loop_with_more(self, a, b): return H.while_loop_stack_output(below, grow, (a,), (b,))[0].sum(0)


# graphs that write to what they are given, which PyTorch does not lower
@case((x,), grad=False)
def loop_writes(self, a):
    return while_loop(lambda n, a: n < 3, lambda n, a: (n + 1, a.add_(1).clone()), (torch.tensor(0), a)), a + 0
@case((x,), grad=False)
def loop_writes_outside(self, a):
    total = torch.zeros(4, 4)
    def turn(n, y):
        total.add_(y)
        return n + 1, y + 1
    return while_loop(lambda n, y: n < 3, turn, (torch.tensor(0), a)), total
@case((x,), (-x,), grad=False)
def cond_writes(self, a):
    return torch.cond(a.sum() > 0, lambda a: a.mul_(2).sin(), lambda a: a.add_(1).cos(), (a,)), a + 1


# auto_functionalized
@case((x, y), grad=False)
def functionalized(self, a, b): return H.auto_functionalized(torch.ops.mine.bump.default, x=a, y=b)
@case((x, y), grad=False)
def functionalized_view(self, a, b): return H.auto_functionalized(torch.ops.mine.bump.default, x=a.t(), y=b), a
@case((x, y), grad=False)
def functionalized_list(self, a, b):
    return H.auto_functionalized(torch.ops.mine.fill.default, out=a, more=[a, b], value=2.0, skip=None)[1:], a + b


# print
@case((x,), (y[:2],), dims=({0: Dim.DYNAMIC},))
def printed(self, a):
    H.print("a {} of {rows} rows, {flag} {scale}", a, rows=a.shape[0], flag=True, scale=2.0)
    return a + 1
@case((torch.tensor([1, 2]),))
def printed_text(self, a):
    H.print("hello")
    H.print("{0} {1} {0} {{}}", a, a.sum())
    return a * 2


class Model(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.weight = nn.Parameter(values(4, 4, step=3))

    def forward(self, *args):
        return self.function(self, *args)


def recorded(value):
    if not isinstance(value, torch.Tensor):
        return value
    flat = value.detach().flatten().tolist()
    return [str(value.dtype)[6:], list(value.shape), flat]


def saved(program):
    buffer = io.BytesIO()
    save(program, buffer)
    return buffer.getvalue()


def lower(loaded, program):
    """Files lose what `local_map` needs; the program that was exported still has it."""
    try:
        return loaded.run_decompositions()
    except Exception:
        pass
    try:
        lowered = program.run_decompositions()
    except Exception:
        return None
    lowered.range_constraints.clear()  # left over from the first try
    return lowered


def run(program, inputs):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        results = program.module()(*(one.clone() for one in inputs))
    leaves = [recorded(leaf) for leaf in pytree.tree_leaves(results)]
    return {"inputs": [recorded(one) for one in inputs], "results": leaves, "printed": printed.getvalue()}


def made(function, runs, strict, dims, grad, swap):
    arity = len(runs[0])
    model = Model(function)
    # One parameter for each input, so that the inputs have names.
    names = ", ".join("abcdefgh"[:arity]) if swap != "wrap" else "a"
    scope = {"function": function}
    exec(f"def forward(self, {names}): return self.function(self, {names})", scope)
    model.forward = scope["forward"].__get__(model)
    with torch.set_grad_enabled(grad):
        program = export(model, runs[0], strict=strict, dynamic_shapes=dims)
        if swap is not None:
            for node in program.graph.nodes:
                if node.op == "call_function" and getattr(node.target, "namespace", None) == "higher_order":
                    node.target = getattr(H, swap)
                    node.kwargs = {}
            program.graph_module.recompile()
        data = saved(program)
        loaded = load(io.BytesIO(data))
        lowered = lower(loaded, program)
    return {
        "file": base64.b64encode(data).decode(),
        "text": comparable(str(loaded)),
        "lowered": None if lowered is None else comparable(str(lowered)),
        "runs": [run(program, inputs) for inputs in runs],
    }


def main(path):
    cases = {}
    for name, args in CASES.items():
        try:
            cases[name] = made(*args)
        except Exception as error:  # what PyTorch refuses is no case
            print(name, type(error).__name__, str(error)[:300].replace("\n", " "), file=sys.stderr)
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(json.dumps(cases, indent=1).encode())


main(*sys.argv[1:])
