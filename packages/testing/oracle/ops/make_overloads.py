"""Record the calls of overload_calls.py, and whether PyTorch exports each overload.

    python3 make_overloads.py OUT_DIR VERDICTS.json [--only REGEX] [--calls MODULE]

OUT_DIR gets one safetensors file an overload, in the format of make_ops.py, for pack_cases.mjs. VERDICTS.json gets what `torch.export.export` and
`run_decompositions` make of a program that calls the overload: the targets of the lowered program, {"lowering": message} where only lowering fails, or
the start of the message of the export; and the names of the overloads that have no kernel for strided tensors on the CPU.

MODULE has the calls in place of overload_calls: quantized_calls, with operators of other namespaces. Its `EXACT` matches the names of those whose
floats are compared bit by bit.
"""
import argparse
import collections
import copy
import importlib
import json
import operator
import os
import re
import sys

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make_ops as make  # noqa: E402

make.ST_NAME |= {torch.float8_e4m3fn: "F8_E4M3", torch.float8_e5m2: "F8_E5M2"}

# The library keeps what it needs for gradients there, whatever its size.
make.UNSPECIFIED["mkldnn_rnn_layer.default"] = (3,)


def detached(value):
    """A copy with the layout of the original, and without its history."""
    if isinstance(value, torch.Tensor):
        return copy.deepcopy(value.detach())
    if isinstance(value, (list, tuple)):
        return [detached(v) for v in value]
    return value


def shortened(error):
    return f"{type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else ''}"


class Calls:
    def __init__(self, only):
        self.only = re.compile(only) if only else None
        self.cases = collections.defaultdict(list)
        self.samples = {}
        self.refusals = {}
        self.is_trial = False

    def __call__(self, op, *args, **kwargs):
        name = f"{op._schema.name.partition('::')[2]}.{op._schema.overload_name or 'default'}"
        if self.only and not self.only.search(name):
            return
        if self.is_trial:
            self.trial(name, op, args, kwargs)
            return
        case = make.Case()
        case.func, case.overload, case.source, case.level = op, name, "hand", "dispatch"
        case.args = [make.snap_value(v) for v in args]
        case.kwargs = {k: make.snap_value(v) for k, v in kwargs.items() if v is not None}
        case.outputs, case.mutated, case.error = [], {}, None
        live, named = [detached(v) for v in args], {k: detached(v) for k, v in kwargs.items()}
        try:
            with torch.no_grad():
                out = op(*live, **named)
        except Exception as error:
            message = str(error).split("\nException raised from")[0]
            if re.search(r"INTERNAL ASSERT|Could not run|\.cpp", message) or len(message) > 400:
                print("left out:", name, message[:160])
                return
            case.error = (type(error).__name__, message)
        else:
            self.samples.setdefault(name, (op, args, kwargs))
            try:
                self.finish(case, live, named, out)
            except (make.Skip, RuntimeError) as error:
                print("not written down:", name, type(error).__name__, error)
                return
        case.digest = make.Recorder().digest(name, case.args, case.kwargs)
        self.cases[name].append(case)

    def trial(self, name, op, args, kwargs):
        """Notes the call for its verdict, or why it does not run at all."""
        try:
            with torch.no_grad():
                op(*[detached(v) for v in args], **{k: detached(v) for k, v in kwargs.items()})
        except Exception as error:
            self.refusals[name] = shortened(error)
        self.samples.setdefault(name, (op, args, kwargs))

    def finish(self, case, live, named, out):
        paths = {}
        for prefix, values in (("args", enumerate(live)), ("kwargs", named.items())):
            for key, value in values:
                for path, tensor in make.tensors_of(value, f"{prefix}.{key}"):
                    paths.setdefault(tensor.untyped_storage()._cdata, path)
                    now, old = make.snap(tensor), make.lookup(case.args, case.kwargs, path)
                    if now.raw != old.raw or now.key() != old.key():
                        case.mutated[path] = now
        written = {a.name for a in case.func._schema.arguments if a.alias_info is not None and a.alias_info.is_write}
        for i, argument in enumerate(case.func._schema.arguments):
            if argument.name not in written or i >= len(live):
                continue
            for path, tensor in make.tensors_of(live[i], f"args.{i}"):
                case.mutated[path] = make.snap(tensor)

        def snapped(value):
            if isinstance(value, torch.Tensor):
                one = make.snap(value)
                one.alias = paths.get(value.untyped_storage()._cdata)
                return one
            return [snapped(v) for v in value] if isinstance(value, (list, tuple)) else value

        count = len(case.func._schema.returns)
        loose = make.UNSPECIFIED.get(case.overload, ())
        case.outputs = [None if i in loose else snapped(v) for i, v in enumerate(out)] if count > 1 else [snapped(out)] if count == 1 else []


def verdict(op, args, kwargs):
    """What export says of a program that calls the overload on tensors it is given."""
    tensors = [t for _, t in make.tensors_of([list(args), list(kwargs.values())], "")]
    tensors = [detached(t) for t in tensors]

    class Call(torch.nn.Module):
        def forward(self, *given):
            left = list(given)

            def fill(value):
                if isinstance(value, torch.Tensor):
                    return left.pop(0)
                return [fill(v) for v in value] if isinstance(value, (list, tuple)) else value

            out = op(*[fill(v) for v in args], **{k: fill(v) for k, v in kwargs.items()})
            return [v for _, v in make.tensors_of([out], "")]

    try:
        program = torch.export.export(Call(), tuple(tensors))
    except Exception as error:
        return shortened(error)
    try:
        lowered = program.run_decompositions()
    except Exception as error:
        return {"lowering": shortened(error)}
    return [str(n.target) for n in lowered.graph.nodes if n.op == "call_function" and n.target is not operator.getitem]


def without_cpu():
    """The overloads of ATen that a strided tensor on the CPU does not reach a kernel of."""
    keys = ("CPU", "CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")
    names = []
    for name in torch._C._dispatch_get_all_op_names():
        if not name.startswith("aten::") or any(torch._C._dispatch_has_kernel_for_dispatch_key(name, key) for key in keys):
            continue
        packet, _, overload = name[6:].partition(".")
        names.append(f"{packet}.{overload or 'default'}")
    return sorted(names)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("verdicts")
    p.add_argument("--only")
    p.add_argument("--calls", default="overload_calls")
    options = p.parse_args()
    os.makedirs(options.out, exist_ok=True)
    module = importlib.import_module(options.calls)
    if hasattr(module, "EXACT"):
        make.EXACT = re.compile(f"{make.EXACT.pattern}|{module.EXACT}")
    calls = Calls(options.only)
    for part in module.PARTS:
        torch.manual_seed(0)
        part(calls)
    calls.is_trial = True
    if hasattr(module, "trials"):
        module.trials(calls)
    total = 0
    for name, cases in sorted(calls.cases.items()):
        good = [c for c in cases if make.settle(c)]
        for c in cases:
            if c not in good:
                print("unsettled:", name, c.error)
        total += len(good)
        if good:
            make.write_file(os.path.join(options.out, name + ".safetensors"), name, good[0].func, "other", good)
    verdicts = {name: verdict(*calls.samples[name]) for name in sorted(calls.samples)}
    with open(options.verdicts, "w") as f:
        json.dump({"exports": verdicts, "withoutCpu": without_cpu()}, f, separators=(",", ":"))
    print(f"{total} calls of {len(calls.cases)} overloads, {sum(not isinstance(v, str) for v in verdicts.values())} of {len(verdicts)} exported")


if __name__ == "__main__":
    main()
