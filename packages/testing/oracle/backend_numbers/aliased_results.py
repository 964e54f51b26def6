"""Control flow whose results share memory with operands, beside writes. `torch.export` refuses most functions of this
kind, so bodies are exported with copies, which are taken out of their graphs."""

import torch
from recorder import automatic
from torch._higher_order_ops.hints_wrap import hints_wrapper
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.strict_mode import strict_mode
from torch._higher_order_ops.while_loop import while_loop

aten = torch.ops.aten


def rows(*shape):
    return torch.arange(1.0, torch.Size(shape).numel() + 1).reshape(shape)


# What takes the place of a copy in a body.
GIVEN = {
    "itself": None,
    "alias": lambda graph, x: (aten.alias.default, (x,)),
    "sliced": lambda graph, x: (aten.slice.Tensor, (x, 0, 0, 2)),
    "reshaped": lambda graph, x: (aten.reshape.default, (x, [2, 2])),
}


def without_copies(given):
    """Takes the copies out of the bodies of a graph."""

    def change(module, is_body=False):
        for node in list(module.graph.nodes) if is_body else ():
            if node.target is not aten.clone.default:
                continue
            (source,) = node.args
            if given is not None:
                target, args = given(module.graph, source)
                with module.graph.inserting_before(node):
                    view = module.graph.call_function(target, args)
                view.meta = dict(node.meta)
                view.meta["val"] = target(source.meta["val"], *args[1:])
                source = view
            node.replace_all_uses_with(source)
            module.graph.erase_node(node)
        for _, body in module.named_children():
            if isinstance(body, torch.fx.GraphModule):
                change(body, True)
        module.recompile()

    return change


def positive(x):
    return x.sum() > 0


def nested(x):
    return torch.cond(
        x.sum() < 90,
        lambda a: torch.cond(a.sum() > 0, lambda b: b.clone(), lambda b: b.neg(), [a]),
        lambda a: a.neg(),
        [x],
    )


CALLS = {
    "cond": lambda x: torch.cond(positive(x), lambda a: a.clone(), lambda a: a.neg(), [x]),
    "cond other branch": lambda x: torch.cond(x.sum() < 0, lambda a: a.neg(), lambda a: a.clone(), [x]),
    "cond list": lambda x: torch.cond(positive(x), lambda a: (a + 1, a.clone()), lambda a: (a - 1, a.neg()), [x])[1],
    "cond nested": nested,
    "cond in strict_mode": lambda x: strict_mode(
        lambda a: torch.cond(positive(a), lambda b: b + 1, lambda b: b - 1, [a]).clone(), (x,)
    ),
    "map": lambda x: map_rows(lambda r: r.clone(), torch.stack([x, x]))[0],
    "scan": lambda x: scan(lambda c, r: (c.clone(), r + 1), x, x[None] * 2)[0],
    "while": lambda x: while_loop(lambda a, b: a < 20, lambda a, b: (a + 7, b.clone()), (x.sum(), x))[1],
    "hints_wrapper": lambda x: hints_wrapper(lambda a: a.clone(), (x,), {}, hints={"kind": 1}),
    "strict_mode": lambda x: strict_mode(lambda a: a.clone(), (x,)),
    "strict_mode list": lambda x: strict_mode(lambda a: (a * 2, a.clone()), (x,))[1],
    "strict_mode nested": lambda x: strict_mode(lambda a: strict_mode(lambda b: b.clone(), (a,)), (x,)),
}


def written(y, x):
    y.add_(1)
    return y * 1, x * 1


def operand_written(y, x):
    x.mul_(3)
    return y * 1, x * 1


ENDS = {"result written": written, "operand written": operand_written, "read": lambda y, x: (y * 2, x * 1)}


def bodies(record):
    for call_name, call in CALLS.items():
        for given_name, given in GIVEN.items():
            for end_name, end in ENDS.items():
                for start_name, start in {"input": lambda x: x, "value": lambda x: x * 2}.items():
                    if given_name in ("alias", "reshaped") and (end_name != "result written" or start_name == "value"):
                        continue

                    def function(x, call=call, end=end, start=start):
                        value = start(x)
                        return end(call(value), value)

                    name = f"{call_name} gives {given_name}, {end_name}, of {start_name}"
                    record(name, function, (rows(2, 2),), change=without_copies(given))


def shared_operands(record):
    """Operands, or results, that share memory with each other."""
    both = (lambda a, b: a + b, lambda a, b: a - b)
    calls = {
        "cond of a row": lambda x: torch.cond(positive(x), *both, [x, x[0]]),
        "cond of two rows": lambda x: torch.cond(positive(x), *both, [x[0], x[1]]),
        "cond of a transposed one": lambda x: torch.cond(positive(x), *both, [x, x.t()]),
        "while of one twice": lambda x: while_loop(lambda a, b: a.sum() < 20, lambda a, b: (a + 1, b + 1), (x, x))[1],
        "while of a row": lambda x: while_loop(lambda a: a.sum() < 20, lambda a: (a + x[1],), (x[0],))[0],
        "scan of rows": lambda x: scan(lambda c, r: (c + r + x[1], c * 1), x[0], x)[0],
        "scan of its start": lambda x: scan(lambda c, r: (c + r, c * 1), x[0], x)[0],
    }
    for name, call in calls.items():
        for end_name in ("result written", "operand written"):
            record(f"{name}, {end_name}", lambda x, call=call, end=ENDS[end_name]: end(call(x), x), (rows(2, 2),))


def no_rows(record):
    """A scan over no rows gives its start."""
    calls = {
        "start": lambda c, x: scan(lambda c, r: (c + r, c * 1), c, x)[0],
        "row": lambda c, x: scan(lambda c, r: (c + r, c * 1), c[0], x)[0],
        "value": lambda c, x: scan(lambda c, r: (c + r, c * 1), c + 1, x)[0],
        "row in cond": lambda c, x: scan(lambda c, r: (c + r, c * 1), c.view(2, 1)[0], x[..., :1])[0],
    }
    for name, call in calls.items():
        for end_name, end in ENDS.items():

            def function(c, x, call=call, end=end):
                return end(call(c, x), c)

            start = rows(2) if name != "row" else rows(2, 2)
            record(f"no rows, {name}, {end_name}", function, (start, rows(3, 2)[:0]))
            dynamic = [(start, rows(n, 2)) for n in (3, 0, 1, 5)]
            record(f"no rows of some, {name}, {end_name}", function, *dynamic, dynamic=(None, automatic(0)))


def make(record):
    with torch.no_grad():
        bodies(record)
        shared_operands(record)
    no_rows(record)
