"""Numbers beside integers, which PyTorch cuts to the dtype. scalar_refusals.py asks for those that it refuses."""

import torch
from torch._subclasses import FakeTensorMode

A = torch.ops.aten
KINDS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)

CALLS = {
    "addcmul": lambda x, m, v: torch.addcmul(x, x, x.flip(0), value=v),
    "addcmul_": lambda x, m, v: x.clone().addcmul_(x, x.flip(0), value=v),
    "add": lambda x, m, v: torch.add(x, x.flip(0), alpha=v),
    "sub": lambda x, m, v: torch.sub(x, x.flip(0), alpha=v),
    "rsub": lambda x, m, v: torch.rsub(x, x.flip(0), alpha=v),
    "add of a number": lambda x, m, v: A.add.Scalar(x, 3, v),
    "sub of a number": lambda x, m, v: A.sub.Scalar(x, 3, v),
    "rsub of a number": lambda x, m, v: torch.rsub(x, 3, alpha=v),
    "addmm": lambda x, m, v: (torch.addmm(m, m, m, alpha=v), torch.addmm(m, m, m, beta=v)),
    "addmm of rows": lambda x, m, v: (torch.addmm(x, m, m, alpha=v), torch.addmm(x, m, m, beta=v)),
    "addmv": lambda x, m, v: (torch.addmv(x, m, x, alpha=v), torch.addmv(x, m, x, beta=v)),
    "addr": lambda x, m, v: (torch.addr(m, x, x, alpha=v), torch.addr(m, x, x, beta=v)),
    "addbmm": lambda x, m, v: (torch.addbmm(m, m[None], m[None], alpha=v), torch.addbmm(m, m[None], m[None], beta=v)),
    "baddbmm": lambda x, m, v: (torch.baddbmm(m[None], m[None], m[None], alpha=v), torch.baddbmm(m[None], m[None], m[None], beta=v)),
    "index_add": lambda x, m, v: torch.index_add(x, 0, torch.tensor([1, 0, 1]), x, alpha=v),
    "fill": lambda x, m, v: (torch.fill(x, v), x.clone().fill_(v), torch.full_like(x, v), x.new_full((2,), v)),
    "index_fill": lambda x, m, v: torch.index_fill(x, 0, torch.tensor([1]), v),
    "masked_fill": lambda x, m, v: torch.masked_fill(x, x > 2, v),
    "scatter": lambda x, m, v: torch.scatter(x, 0, torch.tensor([1]), v),
    "scatter by a product": lambda x, m, v: torch.scatter(x, 0, torch.tensor([1, 2]), v, reduce="multiply"),
    "scatter by a sum": lambda x, m, v: torch.scatter(x, 0, torch.tensor([1, 2]), v, reduce="add"),
    "threshold": lambda x, m, v: torch.threshold(x, 2, v),
    "threshold at": lambda x, m, v: torch.threshold(x, v, 7),
    "gradient of threshold": lambda x, m, v: A.threshold_backward(x, x, v),
    "hardtanh": lambda x, m, v: torch.nn.functional.hardtanh(x, 0, v),
    "pad": lambda x, m, v: torch.nn.functional.pad(x, (1, 2), value=v),
    "fill_diagonal_": lambda x, m, v: m.clone().fill_diagonal_(v),
    "nan_to_num": lambda x, m, v: torch.nan_to_num(x, v, v, v),
}


def given(kind):
    x = torch.tensor([1, 2, 3], dtype=kind)
    m = torch.tensor([[1, 2, 3], [5, 4, 1], [2, 3, 2]], dtype=kind)
    return x, m


def takes(call, inputs):
    """Whether PyTorch exports and runs a call."""
    try:
        call(*inputs)
        with FakeTensorMode(allow_non_fake_inputs=True) as mode:
            call(*[mode.from_tensor(one) for one in inputs])
    except (RuntimeError, ValueError, NotImplementedError):
        return False
    return True


def flat(value):
    return value if isinstance(value, tuple) else (value,)


def make(record):
    for name, call in CALLS.items():
        for kind in KINDS:
            values = [v for v in (1.5, 2.75, 0.5, 2.0, 3, True, -1.5, -2) if takes(lambda x, m, v=v: call(x, m, v), given(kind))]
            # PyTorch's decompositions of some take integers only.
            for some in ([v for v in values if not isinstance(v, float)], [v for v in values if isinstance(v, float)]):
                if some:
                    record(f"{name} {kind} {some}", lambda x, m, some=some: sum((flat(call(x, m, v)) for v in some), ()), given(kind))
