"""Records the strides of results of calls whose operands do not lie in rows.

    node print_laid_calls.mjs > CALLS
    python3 result_strides.py CALLS result-strides.jsonl

A line of the result has the family, the overload and the id of a recorded call, the
layout of its operands, and the strides of each result (null for one without elements):

- turned: all dimensions in reverse order
- last: the second dimension last (channels last)
- gaps: every second element of each dimension
- mixed: the first operand turned, the others in rows
"""
import base64
import json
import sys
import warnings

import torch

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
# Kernels that take some layouts only, with the beginning of their reasons. Other refusals end the script.
REFUSED = {
    "aten._weight_norm_interface_backward.default": "saved_v must be contiguous",
    "aten.nll_loss2d_backward.default": "grad_input must be contiguous",
    "aten._weight_int8pack_mm.default": "_weight_int8pack_mm_cpu : A must be contiguous on the last dimension",
    "aten._unsafe_view.default": "view size is not compatible with input tensor's size and stride",
    "aten._pdist_backward.default": "_pdist_backward requires self to be contiguous",
    "aten.max_pool3d_with_indices_backward.default": "Unsupported memory format",
    "aten.max_pool3d_with_indices.default": "Unsupported memory format",
    "aten.max_pool3d.default": "Unsupported memory format",
    "aten._grouped_mm.default": "Invalid strides/sizes",
}
LAYOUTS = ("turned", "last", "gaps", "mixed")


def laid_out(t, layout):
    if t.ndim < 2 or (layout == "last" and t.ndim < 3):
        return t
    if layout == "gaps":
        view = torch.zeros([2 * size for size in t.shape], dtype=t.dtype)[tuple(slice(None, None, 2) for _ in t.shape)]
        view.copy_(t)
        return view
    order = [0, *range(2, t.ndim), 1] if layout == "last" else list(range(t.ndim))[::-1]
    return t.permute(order).contiguous().permute([order.index(d) for d in range(t.ndim)])


class Operands:
    def __init__(self, layout):
        self.layout, self.count = layout, 0

    def tensor(self, v):
        raw, dtype = bytearray(base64.b64decode(v["data"])), getattr(torch, v["dtype"])
        t = (torch.frombuffer(raw, dtype=dtype) if raw else torch.empty(0, dtype=dtype)).reshape(v["shape"])
        self.count += t.ndim >= 2
        return t if self.layout == "mixed" and self.count > 1 else laid_out(t, self.layout)

    def value(self, v):
        if "data" in v:
            return self.tensor(v)
        if "list" in v:
            return [self.value(one) for one in v["list"]]
        if "int" in v:
            return int(v["int"])
        if "float" in v:
            return float(v["float"].replace("Infinity", "inf").replace("NaN", "nan"))
        for key in ("bool", "str"):
            if key in v:
                return v[key]
        for key in ("dtype", "memory_format", "layout"):
            if key in v:
                return getattr(torch, v[key].split(".")[-1])
        return torch.device(v["device"]) if "device" in v else None


def flat(value):
    return [one for item in value for one in flat(item)] if isinstance(value, (list, tuple)) else [value]


def main(calls, out):
    lines, refused = [], []
    for line in open(calls):
        call = json.loads(line)
        namespace, name, overload = call["target"].split(".")
        try:
            op = getattr(getattr(getattr(torch.ops, namespace), name), overload)
        except AttributeError:
            raise AssertionError(f"PyTorch has no operator {call['target']}") from None
        for layout in LAYOUTS:
            operands = Operands(layout)
            torch.manual_seed(0)
            args = [operands.value(v) for v in call["args"]]
            kwargs = {key: operands.value(v) for key, v in call["kwargs"].items()}
            if all(t.is_contiguous() for t in flat([args, list(kwargs.values())]) if isinstance(t, torch.Tensor)):
                continue
            try:
                results = flat(op(*args, **kwargs))
            except Exception as error:
                reason = str(error).split("\n")[0]
                assert reason.startswith(REFUSED.get(call["target"], "?")), f"{call['target']} {layout}: {reason}"
                refused.append(f"{call['target']} {layout}: {reason}")
                continue
            if not all(isinstance(t, torch.Tensor) for t in results):
                continue
            strides = [list(t.stride()) if t.numel() else None for t in results]
            lines.append(json.dumps([call["family"], call["target"], call["id"], layout, strides], separators=(",", ":")))
    print(*refused, sep="\n")
    with open(out, "w") as f:
        f.write("\n".join(lines) + "\n")


main(*sys.argv[1:])
