"""
Inputs with gaps, whose strides are symbols of their own, at the ends of dynamic sizes.

PyTorch does not lower programs of such inputs, or gives them guards that refuse most sizes.
"""

import torch
from recorder import automatic
from written_memory import columns, rows, within

T = torch.tensor


def make(record):
    calls = {
        "squeeze": lambda x: x.squeeze() * 2,
        "first": lambda x: (x[1:][0].fill_(5.0), x * 1)[1],
        "first read": lambda x: (x.mul_(2), x[1:][0] * 1)[1],
        "set": lambda x: (x[1:].__setitem__(0, 5.0), x * 1)[1],
        "narrow": lambda x: (x.narrow(0, 1, 2).zero_(), x * 1)[1],
        "narrow read": lambda x: x.narrow(0, 1, 2) * 2,
        "greatest": lambda x: (x.mul_(2), x[2:].amax(0))[1],
        "last": lambda x: (x[1:][-1].fill_(5.0), x * 1)[1],
        "diagonal": lambda x: (x[1:].diagonal()[1].fill_(3.0), x.diagonal() * 1)[1],
        "scatter": lambda x: torch.select_scatter(x[1:], x[0], 0, 0) * 1,
        "pick": lambda x: x[1:][T([0, 1])] * 1,
        "rows": lambda x: (x[:3].t() @ torch.ones(3, 2), x.sum(0)),
        "view": lambda x: x[:, 0].view(-1, 2) * 1,
    }
    for name, call in calls.items():
        for kind, place in {"dense": lambda x: x, "within": within, "columns": columns}.items():
            runs = [place(rows(size, 3)) for size in (4, 1, 2, 3, 5)]
            try:
                inputs = [(x,) for x in (*runs, columns(rows(3, 3)))]
                record(f"{name} {kind}", call, *inputs, dynamic=(automatic(0),), lowers=False)
            except Exception as error:
                print(f"{name} {kind}: {str(error).splitlines()[0][:150]}")
