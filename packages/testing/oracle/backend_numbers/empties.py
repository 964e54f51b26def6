"""Programs in which values have a dimension of size 0, in all runs or in those of some sizes."""

import torch
import torch.nn.functional as F
from torch.export import Dim




def EMPTY_INDEX():
    return torch.zeros(0, dtype=torch.int64)


def static(record):
    x = torch.arange(18.0).reshape(6, 3)
    calls = {
        "index of columns": lambda x: (x.to(torch.int8)[:, EMPTY_INDEX()].to(torch.float32).transpose(1, -2), x[:, EMPTY_INDEX()]),
        "index of rows": lambda x: (x[EMPTY_INDEX()] * 2).view(-1, 1).sum(0),
        "slice": lambda x: (x[2:2].exp().sum(0), x[:, 3:].sum(1), x[6:].t() @ x[6:]),
        "views": lambda x: (x[:0].view(3, 0), x[:0].reshape(0, 3, 1).permute(2, 0, 1), x[:0].unfold(1, 2, 1), x[:0].expand(2, 0, 3), x[:, :0].diagonal()),
        "flatten": lambda x: (x[:0].flatten() + 1, torch.cat([x[:0].flatten(), x.flatten()]) * 2),
        "casts": lambda x: (x[:0].to(torch.int64).to(torch.float16).to(torch.bool), x[:0].double() / 3),
        "reductions": lambda x: (x[:0].sum(), x[:0].mean(1), x[:0].prod(0), x[:, :0].sum(1), x[:, :0].any(1), x[:, :0].all(1), x[:0].amax(1), x[:0].argmax(1), x[:0].std(1), x[:, :0].mean(1), x[:, :0].norm(dim=1)),
        "normalizations": lambda x: (x[:0].softmax(1), x[:0].softmax(0), x[:, :0].log_softmax(1), F.layer_norm(x[:0], (3,)), x[:0].logsumexp(1), x[:, :0].logsumexp(1)),
        "products": lambda x: (x[:0] @ x.t(), x.t() @ x[:, :0], x[:, :0] @ x[:, :0].t(), F.linear(x[:0], x), F.linear(x[:, :0], x[:, :0]), torch.bmm(x[None, :0], x.t()[None]), x[:, :0].matmul(x[0, :0]), torch.addmm(x[:, :0], x, x.t()[:3, :0]), torch.addmm(x, x[:, :0], x[:0])),
        "scans": lambda x: (x[:0].cumsum(0), x[:0].cumsum(1), x[:, :0].cumprod(1), x[:0].logcumsumexp(1), x[:0].cummax(1)[0]),
        "sorts": lambda x: (x[:0].sort(1)[0], x[:, :0].sort(1)[1], x[:0].topk(2)[0], x[:, :0].argsort(1)),
        "joins": lambda x: (torch.cat([x[:0], x]), torch.stack([x[:0], x[:0]]), torch.cat([x[:, :0], x[:, :0]], 1), x[:0].repeat(3, 2), F.pad(x[:0], (1, 1)), F.pad(x[:0], (1, 1, 2, 1), value=2.0), torch.roll(x[:0], 1, 0), x[:0].flip(0)),
        "choices": lambda x: (torch.where(x[:0] > 1, x[:0], 2.0), x[:0].masked_fill(x[:0] > 0, 1.0), x[:0].tril(), torch.gather(x, 0, torch.zeros(0, 3, dtype=torch.int64)), x.index_select(0, EMPTY_INDEX()), torch.take_along_dim(x[:0], torch.zeros(0, 3, dtype=torch.int64), 1)),
        "writes": lambda x: (x.index_add(0, EMPTY_INDEX(), x[:0]), x.index_put((EMPTY_INDEX(),), x[:0]), x.scatter(0, torch.zeros(0, 3, dtype=torch.int64), x[:0]), x.index_fill(0, EMPTY_INDEX(), 3.0), torch.slice_scatter(x, x[:0], 0, 2, 2), x.index_copy(0, EMPTY_INDEX(), x[:0])),
        "pools": lambda x: (F.conv1d(x[None, :0].transpose(0, 1), torch.ones(2, 1, 2)), F.max_pool1d(x[:0, None], 2), F.avg_pool1d(x[:0, None], 2), F.interpolate(x[:0, None], scale_factor=2.0)),
        "made": lambda x: (torch.arange(0) + 1, torch.zeros(0, 3) + x[:0], torch.full((2, 0), 3.0).sum(1), torch.ones(0).sum(), torch.arange(0, dtype=torch.float16) * 2),
        "distance": lambda x: (torch.cdist(x[:0], x), torch.cdist(x[:, :0], x[:, :0])),
        "embedding": lambda x: (F.embedding(EMPTY_INDEX(), x), F.one_hot(EMPTY_INDEX(), 3)),
        "attention": lambda x: (F.scaled_dot_product_attention(x[None, :0], x[None], x[None]), F.group_norm(x[:0, :, None], 3)),
        "chain": lambda x: ((x[:0] * 2 + 1).relu().sum(1).exp().unsqueeze(1).expand(0, 4).sum(0) + x[0, 0]),
    }
    for name, call in calls.items():
        record(name, call, (x,), rtol=1e-5)


def dynamic(record):
    count = Dim("count", min=0, max=64)
    x = torch.arange(15.0).reshape(5, 3)
    runs = [(x,), (x[:0],), (x[:1],), (x[:3],)]
    calls = {
        "pointwise": lambda x: (x * 2 + 1).relu().exp(),
        "views": lambda x: (x.t() + 1, x.unsqueeze(1) * 2, x.unflatten(1, (1, 3)).permute(2, 0, 1) + 0, x.reshape(-1) + 1),
        "indices": lambda x: x.to(torch.int8)[:, EMPTY_INDEX()].to(torch.float32).transpose(1, 0),
        "reductions": lambda x: (x.sum(0), x.sum(1), x.prod(0), x.amax(1), x.any(0), x.sum(), (x > 1).all(0), x.argmax(1)),
        "means": lambda x: (x.mean(0), x.mean(1), x.var(0), x.logsumexp(0)),
        "normalizations": lambda x: (x.softmax(0), x.softmax(1), F.layer_norm(x, (3,))),
        "products": lambda x: (x @ x.t(), x.t() @ x, F.linear(x, torch.ones(2, 3)), x @ torch.ones(3)),
        "scans": lambda x: (x.cumsum(0), x.cumsum(1), x.cumprod(0)),
        "sorts": lambda x: (x.sort(1)[0], x.sort(0)[0], x.sort(0, descending=True)[1]),
        "joins": lambda x: (torch.cat([x, x]), torch.cat([x, torch.ones(1, 3)]), F.pad(x, (1, 1, 2, 0)), x.flip(0), torch.stack([x, x * 2]), x.repeat(2, 1)),
        "choices": lambda x: (torch.where(x > 3, x, -x), x.masked_fill(x > 3, 1.0), x.tril()),
        "writes": lambda x: (torch.ones(4, 3).index_add(0, (x[:, 0] % 4).to(torch.int64), x), torch.ones(16).scatter(0, x[:, 0].to(torch.int64) % 16, x[:, 0])),
        "lookups": lambda x: (F.embedding(x.to(torch.int64) % 4, torch.arange(8.0).reshape(4, 2)), torch.gather(x, 1, x.to(torch.int64) % 3)),
        "convolution": lambda x: F.conv1d(x[:, None], torch.ones(2, 1, 2)) + 1,
        "pool": lambda x: F.avg_pool1d(x[:, None], 2),
        "made": lambda x: (torch.arange(x.shape[0]) * 2, torch.zeros(x.shape[0], 2) + 1, x.new_full((2, x.shape[0]), 1.5).sum(1), torch.eye(3)[:, : x.shape[1]] * x.sum()),
        "distance": lambda x: torch.cdist(x, torch.ones(2, 3)),
    }
    for name, call in calls.items():
        try:
            record(f"{name} of any number", call, *runs, dynamic=({0: count},), rtol=1e-5)
        except Exception as error:
            print(name, str(error).strip().splitlines()[0][:150])


def make(record):
    static(record)
    dynamic(record)
