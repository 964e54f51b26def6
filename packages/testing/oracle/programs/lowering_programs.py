"""Programs for the lowering: dynamic shapes, strict exports, regions, annotations, closures, mutations, tied weights."""

import math

import torch
import torch.fx.traceback as fx_traceback
import torch.nn.functional as F
from torch import nn
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.export import Dim

from corpus import Call, Case, program


def wrapped(forward, **modules):
    """A module with this forward and these submodules; its class is called after the forward."""
    made = type(forward.__name__.title().replace("_", ""), (nn.Module,), {"forward": forward})()
    for name, module in modules.items():
        if isinstance(module, nn.Parameter) or isinstance(module, nn.Module):
            setattr(made, name, module)
        else:
            made.register_buffer(name, module)
    return made.eval()


def lowered(name, shows, args, dynamic=None, strict=False, kwargs=None, more=None, **extra):
    """Decorator of a forward function: a program with these submodules."""
    modules = extra.pop("modules", dict)

    def register(forward):
        @program(name, shows)
        def _():
            torch.manual_seed(0)
            return Case(
                wrapped(forward, **modules()),
                args() if callable(args) else args,
                kwargs or {},
                dynamic_shapes=dynamic() if callable(dynamic) else dynamic,
                dynamic_text=None,
                strict=strict,
                decompose=extra.pop("decompose", True),
                more=[Call(a) for a in (more() if more else [])],
                **extra,
            )

        return forward

    return register


def r(*shape):
    return torch.randn(*shape)


AUTO, DYN = Dim.AUTO, Dim.DYNAMIC

# ---------------------------------------------------------------- numbers from sizes


@lowered("lower_arange_half", "arange up to int(size * 0.5)", lambda: (r(6, 3),), ({0: DYN},))
def arange_half(self, x):
    return torch.arange(int(x.shape[0] * 0.5)) + x.sum()


@lowered("lower_arange_ceil", "arange up to math.ceil of a true division", lambda: (r(7, 3),), ({0: DYN},))
def arange_ceil(self, x):
    return torch.arange(math.ceil(x.shape[0] / 2)), x.new_zeros(math.floor(x.shape[0] / 3))


@lowered("lower_arange_round", "round and trunc of a quotient of sizes", lambda: (r(7, 4),), ({0: DYN},))
def arange_round(self, x):
    return torch.arange(round(x.shape[0] / 2)) * 2, torch.zeros(math.trunc(x.shape[0] / 3))


@lowered("lower_full_float", "full and products with symbolic floats", lambda: (r(8, 4),), ({0: DYN},))
def full_float(self, x):
    n = x.shape[0]
    return torch.full((n,), n * 0.25), torch.arange(0, n, 2), x * (n / 4), torch.arange(n, 0, -1)


@lowered("lower_arange_float", "arange to floats from item()", lambda: (torch.tensor(2.5), r(3)))
def arange_float(self, t, x):
    f = t.item()
    torch._check(f > 0)
    return torch.arange(0, f * 2.0) + x.sum()


@lowered("lower_arange_scaled", "arange to a scaled size, and with a float step", lambda: (r(8, 4),), ({0: DYN},))
def arange_scaled(self, x):
    n = x.shape[0]
    return torch.arange(n * 0.5), torch.arange(0, n, 0.5), torch.arange(0.0, n / 2, 0.25)


@lowered("lower_linspace_ends", "linspace between symbolic ends", lambda: (r(8, 4),), ({0: DYN},))
def linspace_ends(self, x):
    n = x.shape[0]
    return torch.linspace(-n, n, 5), torch.linspace(0, n / 2, 4), torch.logspace(0, n * 0.25, 3)


@lowered("lower_item_arange", "arange up to a number from item()", lambda: (torch.tensor(5), r(3)))
def item_arange(self, n, x):
    k = n.item()
    torch._check(k >= 2)
    torch._check(k < 100)
    return torch.arange(k), torch.arange(0, k, 1, dtype=torch.float32) * x.sum()


@lowered("lower_item_range_step", "arange between two numbers from item()", lambda: (torch.tensor([2, 9]), r(3)))
def item_range_step(self, n, x):
    a, b = n.tolist()
    torch._check(a >= 0)
    torch._check(b >= a)
    return torch.arange(a, b), torch.arange(a, b, 2), x


@lowered("lower_item_step", "arange by a step from item()", lambda: (torch.tensor(3), r(3)))
def item_step(self, n, x):
    k = n.item()
    torch._check(k > 0)
    return torch.arange(0, 20, k), x


@lowered("lower_item_float_ends", "linspace and full with a float from item()", lambda: (torch.tensor(2.5), r(3)))
def item_float_ends(self, t, x):
    f = t.item()
    return torch.linspace(0, f, 4), torch.full((3,), f) + x, x * (f * 2.0)


@lowered("lower_interpolate_scale", "interpolation by a factor of a dynamic image", lambda: (r(1, 2, 6, 8),), ({2: DYN, 3: DYN},))
def interpolate_scale(self, x):
    return (
        F.interpolate(x, scale_factor=2.0, mode="nearest"),
        F.interpolate(x, scale_factor=0.5, mode="bilinear", align_corners=False),
    )


@lowered("lower_relative_positions", "positions made from sizes, clipped and embedded", lambda: (r(2, 6, 8),), ({0: DYN, 1: DYN},), modules=lambda: {"table": nn.Embedding(9, 8)})
def relative_positions(self, x):
    n = x.shape[1]
    p = torch.arange(n)
    d = (p[None, :] - p[:, None]).clamp(-4, 4) + 4
    return torch.einsum("bid,ijd->bij", x, self.table(d))


@lowered("lower_alibi", "slopes by powers of sizes, added to scores", lambda: (r(2, 4, 6, 8),), ({0: DYN, 2: DYN},))
def alibi(self, q):
    n = q.shape[2]
    slopes = torch.tensor([2.0 ** (-i) for i in range(1, 5)])
    bias = slopes[:, None, None] * (torch.arange(n)[None, None, :] - torch.arange(n)[None, :, None])
    s = q @ q.transpose(-1, -2) / math.sqrt(q.shape[-1]) + bias
    return torch.softmax(s, -1) @ q


@lowered("lower_size_numbers", "sizes as numbers in arithmetic of every kind", lambda: (r(6, 4), r(3, 4)), ({0: DYN}, {0: DYN}))
def size_numbers(self, x, y):
    a, b = x.shape[0], y.shape[0]
    return x * (a + b), x + a // 2, y - (a % 4), y * torch.sym_float(a), x + a**2, y * (a / b), x * torch.sym_max(a, b)


@lowered("lower_mean_by_size", "a mean written as sum over size, and numel", lambda: (r(5, 4),), ({0: DYN, 1: DYN},))
def mean_by_size(self, x):
    return x.sum(0) / x.shape[0], x.sum() / x.numel(), x.var(0), x.std()


# ---------------------------------------------------------------- networks with dynamic sizes


def conv_net():
    return {
        "body": nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        ),
        "head": nn.Linear(8, 5),
    }


@lowered("lower_conv_batch", "a convolutional network with a dynamic batch", lambda: (r(2, 3, 16, 16),), ({0: DYN},), modules=conv_net)
def conv_batch(self, x):
    return self.head(self.body(x))


@lowered("lower_conv_batch_named", "the same with a named dimension and a range", lambda: (r(2, 3, 16, 16),), lambda: ({0: Dim("batch", min=1, max=64)},), modules=conv_net)
def conv_batch_named(self, x):
    return self.head(self.body(x))


@lowered("lower_conv_image", "a convolutional network with a dynamic image", lambda: (r(2, 3, 16, 20),), ({0: DYN, 2: DYN, 3: DYN},), modules=conv_net)
def conv_image(self, x):
    return self.head(self.body(x))


@lowered("lower_conv_residual", "two strided paths that are added", lambda: (r(2, 4, 9, 9),), ({0: DYN, 2: DYN, 3: DYN},), modules=lambda: {"a": nn.Conv2d(4, 4, 3, 2, 1), "b": nn.Conv2d(4, 4, 1, 2)})
def conv_residual(self, x):
    return F.relu(self.a(x) + self.b(x))


@lowered("lower_conv_1d", "one-dimensional convolutions of dynamic length", lambda: (r(2, 4, 20),), ({0: DYN, 2: DYN},), modules=lambda: {"a": nn.Conv1d(4, 6, 3, padding=1), "b": nn.Conv1d(6, 4, 5, stride=2, padding=2), "c": nn.ConvTranspose1d(4, 2, 4, stride=2, padding=1)})
def conv_1d(self, x):
    return self.c(F.gelu(self.b(F.gelu(self.a(x)))))


@lowered("lower_unfold_patches", "patches by reshape and permute", lambda: (r(2, 3, 8, 8),), ({0: DYN, 2: Dim.AUTO, 3: Dim.AUTO},))
def unfold_patches(self, x):
    b, c, h, w = x.shape
    p = x.reshape(b, c, h // 4, 4, w // 4, 4).permute(0, 2, 4, 1, 3, 5)
    return p.reshape(b, -1, c * 16)


@lowered("lower_pooling_dynamic", "pooling of every kind over dynamic images", lambda: (r(2, 3, 12, 10),), ({0: DYN, 2: DYN, 3: DYN},))
def pooling_dynamic(self, x):
    return F.max_pool2d(x, 2), F.avg_pool2d(x, 3, 2, 1), F.adaptive_avg_pool2d(x, (1, 1)), F.pad(x, (1, 2, 0, 1)), F.pixel_unshuffle(x[:, :, :8, :8], 2)


@lowered("lower_attention", "scaled dot product attention with a causal mask over dynamic lengths", lambda: (r(2, 5, 8),), ({0: DYN, 1: DYN},), modules=lambda: {"qkv": nn.Linear(8, 24), "out": nn.Linear(8, 8)})
def attention(self, x):
    b, t, _ = x.shape
    q, k, v = self.qkv(x).view(b, t, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return self.out(y.transpose(1, 2).reshape(b, t, 8))


@lowered("lower_encoder_layer", "a TransformerEncoderLayer with dynamic batch and length", lambda: (r(2, 5, 8),), ({0: DYN, 1: DYN},), modules=lambda: {"layer": nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True)})
def encoder_layer(self, x):
    return self.layer(x)


@lowered("lower_rope", "rotary embedding with positions from the size", lambda: (r(2, 6, 2, 8),), ({0: DYN, 1: DYN},), modules=lambda: {"inv": 1.0 / 10000 ** (torch.arange(0, 8, 2).float() / 8)})
def rope(self, x):
    f = torch.outer(torch.arange(x.shape[1]).float(), self.inv)
    e = torch.cat((f, f), -1)[None, :, None]
    a, b = x.chunk(2, -1)
    return x * e.cos() + torch.cat((-b, a), -1) * e.sin()


@lowered("lower_gru_dynamic", "a GRU with a dynamic batch", lambda: (r(2, 3, 4),), ({0: DYN},), modules=lambda: {"rnn": nn.GRU(4, 5, batch_first=True)})
def gru_dynamic(self, x):
    return self.rnn(x)


@lowered("lower_lstm_dynamic", "an LSTM with a dynamic batch, two layers", lambda: (r(2, 3, 4),), ({0: DYN},), modules=lambda: {"rnn": nn.LSTM(4, 5, 2, batch_first=True)})
def lstm_dynamic(self, x):
    y, (h, c) = self.rnn(x)
    return y, h, c


@lowered("lower_group_norm_dynamic", "group, layer and instance norm of dynamic images", lambda: (r(2, 4, 6, 6),), ({0: DYN, 2: DYN, 3: DYN},), modules=lambda: {"g": nn.GroupNorm(2, 4), "i": nn.InstanceNorm2d(4), "n": nn.BatchNorm2d(4)})
def group_norm_dynamic(self, x):
    return self.g(x), self.i(x), self.n(x), F.layer_norm(x, x.shape[1:2] + (6, 6) if False else (x.shape[3],))


@lowered("lower_batch_norm_train", "batch norm in train mode with a dynamic batch", lambda: (r(4, 3, 5, 5),), ({0: DYN},), modules=lambda: {"n": nn.BatchNorm2d(3)})
def batch_norm_train(self, x):
    return self.n.train()(x)


@lowered("lower_embedding_bag", "embedding, masked mean by lengths", lambda: (torch.randint(0, 9, (3, 5)), torch.tensor([2, 5, 3])), ({0: DYN, 1: DYN}, {0: DYN}), modules=lambda: {"table": nn.Embedding(9, 4)})
def embedding_bag(self, ids, lengths):
    mask = torch.arange(ids.shape[1])[None] < lengths[:, None]
    e = self.table(ids) * mask[..., None]
    return e.sum(1) / lengths[:, None]


@lowered("lower_losses_dynamic", "losses over a dynamic batch", lambda: (r(4, 5), torch.randint(0, 5, (4,)), r(4, 5)), ({0: DYN}, {0: DYN}, {0: DYN}))
def losses_dynamic(self, x, t, y):
    return F.cross_entropy(x, t), F.nll_loss(F.log_softmax(x, 1), t), F.mse_loss(x, y), F.huber_loss(x, y), F.smooth_l1_loss(x, y), F.binary_cross_entropy_with_logits(x, y.sigmoid())


# ---------------------------------------------------------------- shapes


@lowered("lower_three_inputs", "three inputs whose sizes are equal", lambda: (r(4, 3), r(4, 3), r(4, 3)), ({0: AUTO, 1: AUTO}, {0: AUTO, 1: AUTO}, {0: AUTO, 1: AUTO}))
def three_inputs(self, alpha, beta, gamma):
    return (alpha + beta).view(-1) * gamma.view(-1), alpha.shape[0] * beta


@lowered("lower_shared_dim", "one Dim for three inputs, and one derived from it", lambda: (r(4, 3), r(4, 2), r(8)), lambda: (lambda b: ({0: b}, {0: b}, {0: 2 * b}))(Dim("b", min=2, max=50)))
def shared_dim(self, x, y, z):
    return torch.cat((x, y), 1).sum(1).repeat(2) + z


@lowered("lower_split_chunk", "chunk and split of a dynamic dimension", lambda: (r(8, 4),), ({0: AUTO},))
def split_chunk(self, x):
    a, b = x.chunk(2)
    c, d = x.split(x.shape[0] // 2)
    return a * b, c + d, torch.stack((a, b)).flatten()


@lowered("lower_tensor_split", "tensor_split and hsplit", lambda: (r(8, 6),), ({0: AUTO},))
def tensor_split(self, x):
    a, b, c = torch.tensor_split(x, 3, 1)
    return a + b, c, x.narrow(0, 1, x.shape[0] - 1), x[1:-1], x[::2]


@lowered("lower_slice_both", "slices that depend on two sizes", lambda: (r(8, 4), r(5, 4)), ({0: AUTO}, {0: AUTO}))
def slice_both(self, x, y):
    n = min(x.shape[0], y.shape[0])
    return x[: y.shape[0]] + y, x[x.shape[0] // 2 :], y.expand(y.shape[0], 4).flip(0)


@lowered("lower_cat_many", "concatenations along dynamic dimensions", lambda: (r(3, 4), r(5, 4), r(2, 4)), ({0: DYN}, {0: DYN}, {0: DYN}))
def cat_many(self, x, y, z):
    c = torch.cat((x, y, z))
    return c.view(-1), c.unsqueeze(0).repeat(c.shape[0] - x.shape[0], 1, 1), c.reshape(4, -1)


@lowered("lower_roll_flip", "roll, flip, diagonal, tril and one_hot", lambda: (r(5, 5), torch.randint(0, 4, (5,))), ({0: DYN}, {0: DYN}))
def roll_flip(self, x, i):
    return torch.roll(x, 1, 0), x.flip(0), torch.tril(x), F.one_hot(i, 4), x.diagonal(), torch.triu(torch.ones(x.shape[0], x.shape[0]), 1)


@lowered("lower_matmul_ranks", "matmul of several ranks with dynamic sizes", lambda: (r(2, 3, 4), r(4, 5), r(4)), ({0: DYN, 1: DYN}, {1: DYN}, None))
def matmul_ranks(self, x, w, v):
    return x @ w, x @ v, torch.einsum("btd,dk->bkt", x, w), F.linear(x, w.t()), torch.bmm(x, x.transpose(1, 2))


@lowered("lower_index_dynamic", "gather, index_select, masked_fill, cumsum, sort, topk", lambda: (r(4, 6), torch.randint(0, 4, (3,))), ({0: DYN, 1: DYN}, {0: DYN}))
def index_dynamic(self, x, i):
    return x[i], x.index_select(0, i), x.masked_fill(x > 0, 0.0), x.cumsum(1), x.sort(1)[0], x.topk(2, 1)[0], x.argmax(1)


@lowered("lower_int_input", "an int input as size and as number", lambda: (r(6, 4), 3), (None, DYN))
def int_input(self, x, n):
    return x[:n], torch.zeros(n, 2), x * n, torch.arange(n)


@lowered("lower_guarded_branch", "a branch on a size: the guard stays", lambda: (r(6, 4),), ({0: AUTO, 1: AUTO},))
def guarded_branch(self, x):
    if x.shape[0] > 2 * 2 and x.shape[0] % 2 == 0:
        return x.view(x.shape[0] // 2, 2, -1).sum(1)
    return x


# ---------------------------------------------------------------- unbacked


@lowered("lower_nonzero_chain", "nonzero, then arithmetic on its size", lambda: (torch.tensor([1.0, 0.0, 2.0, 3.0]),))
def nonzero_chain(self, x):
    i = x.nonzero()
    n = i.shape[0]
    return x[i.squeeze(1)], torch.zeros(n + 1), i.repeat(2, 1), x.sum() / n


@lowered("lower_item_slice", "slices and pads by numbers from item()", lambda: (r(8, 3), torch.tensor(3)))
def item_slice(self, x, n):
    k = n.item()
    torch._check(k >= 0)
    torch._check(k <= x.shape[0])
    return x.narrow(0, 0, k), torch.full((k,), 2.0), x.new_ones(k, 2).sum(0)


@lowered("lower_masked_dynamic", "masks of a dynamic batch", lambda: (r(5, 3), r(5) > 0), ({0: DYN}, {0: DYN}))
def masked_dynamic(self, x, m):
    y = x[m]
    return y.sum(0), y * 2, torch.masked_select(x, x > 0).sum()


@lowered("lower_item_arithmetic", "arithmetic of numbers from item()", lambda: (torch.tensor(4), torch.tensor(6), r(3)))
def item_arithmetic(self, a, b, x):
    i, j = a.item(), b.item()
    torch._check(i > 0)
    torch._check(j > 0)
    return x * (i + j), torch.zeros(i + j), torch.ones(i * 2), x + i / j


# ---------------------------------------------------------------- regions, annotations


@lowered("lower_annotations", "regions with annotations, nested and merged", lambda: (r(3, 4),), modules=lambda: {"a": nn.Linear(4, 4), "b": nn.Linear(4, 2)})
def annotations(self, x):
    with fx_traceback.annotate({"stage": 0}):
        x = self.a(x)
        with fx_traceback.annotate({"kind": "activation"}):
            x = F.silu(x)
    with fx_traceback.annotate({"stage": 1}):
        x = self.b(x)
        x = F.softplus(x)
    return F.log_softmax(x, -1)


@lowered("lower_annotations_dynamic", "annotations with dynamic sizes", lambda: (r(3, 4),), ({0: DYN},), modules=lambda: {"a": nn.Linear(4, 4)})
def annotations_dynamic(self, x):
    with fx_traceback.annotate({"stage": 0}):
        x = self.a(x)
        x = x.view(x.shape[0] * 2, 2)
    return x.expand(2, *x.shape).reshape(-1, x.shape[0])


@lowered("lower_no_grad", "no_grad and enable_grad regions", lambda: (r(3, 4),), modules=lambda: {"a": nn.Linear(4, 4)})
def no_grad(self, x):
    with torch.no_grad():
        y = self.a(x)
    z = y + x
    with torch.no_grad():
        w = F.celu(z)
    return w * 2


@lowered("lower_autocast", "autocast regions over matrix products", lambda: (r(3, 4),), modules=lambda: {"a": nn.Linear(4, 4), "c": nn.Linear(4, 4)})
def autocast(self, x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = self.a(x)
        z = y @ y.t()
    with torch.autocast("cpu", enabled=False):
        w = self.c(z.float().sum() + x)
    return F.softmax(w, -1)


@lowered("lower_autocast_dynamic", "autocast with dynamic sizes", lambda: (r(3, 4),), ({0: DYN},), modules=lambda: {"a": nn.Linear(4, 4)})
def autocast_dynamic(self, x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return F.gelu(self.a(x)).view(-1)


@lowered("lower_reference_names", "decompositions that PyTorch writes as references", lambda: (r(3, 4), r(3, 4)))
def reference_names(self, x, y):
    p = x.abs() + 0.5
    return (
        F.celu(x), F.softplus(x), F.mish(x), F.glu(x), F.threshold(x, 0.1, 2.0), F.huber_loss(x, y), torch.xlogy(p, p), torch.logit(p / 9, 0.1),
        torch.lerp(x, y, 0.3), torch.addcmul(x, x, y), torch.addcdiv(x, y, p), torch.logaddexp(x, y), x.frac(), torch.heaviside(x, y), torch.logsumexp(x, 1),  x.std(1), torch.var_mean(x, 1),
        torch.sinc(x), torch.deg2rad(x), torch.isposinf(x), torch.isneginf(x), x.nan_to_num(), torch.linalg.vector_norm(x, 2, 1), F.hardshrink(x), F.softshrink(x), x.sgn(), torch.hypot(x, y),
        torch.special.entr(p), torch.special.ndtr(x), torch.special.log_ndtr(x), torch.special.erfcx(x), torch.special.xlog1py(p, p), torch.square(x),
    )


# ---------------------------------------------------------------- strict exports


@lowered("strict_linear", "a strict export: two linear layers", lambda: (r(3, 4),), strict=True, modules=lambda: {"a": nn.Linear(4, 4), "b": nn.Linear(4, 2)})
def strict_linear(self, x):
    return self.b(F.relu(self.a(x))).sin() + 1


@lowered("strict_dynamic", "a strict export with a dynamic batch", lambda: (r(3, 4),), ({0: DYN},), strict=True, modules=lambda: {"a": nn.Linear(4, 4), "n": nn.LayerNorm(4)})
def strict_dynamic(self, x):
    y = self.n(self.a(x))
    return y.view(-1), y.reshape(x.shape[0] * 2, 2), F.celu(y)


@lowered("strict_conv", "a strict export of a convolutional network", lambda: (r(2, 3, 16, 16),), ({0: DYN},), strict=True, modules=conv_net)
def strict_conv(self, x):
    return self.head(self.body(x))


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(7, 4)
        self.mix = nn.Linear(4, 4)
        self.head = nn.Linear(4, 7, bias=False)
        self.head.weight = self.table.weight
        self.register_buffer("scale", torch.ones(4))

    def forward(self, ids):
        return self.head(torch.tanh(self.mix(self.table(ids))) * self.scale)


@program("strict_tied", "a strict export with a tied weight")
def _():
    return Case(Tied().eval(), (torch.randint(0, 7, (2, 3)),), strict=True)


@program("strict_tied_dynamic", "the same with dynamic sizes")
def _():
    return Case(Tied().eval(), (torch.randint(0, 7, (2, 3)),), dynamic_shapes=({0: DYN, 1: DYN},), strict=True)


@program("lower_tied", "a tied weight, exported without TorchDynamo")
def _():
    return Case(Tied().eval(), (torch.randint(0, 7, (2, 3)),), dynamic_shapes=({0: DYN, 1: DYN},))


class TiedBackwards(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)
        self.b.weight = self.a.weight
        self.b.bias = self.a.bias

    def forward(self, x):
        return self.a(self.b(x))


@program("strict_tied_reverse", "the second name of a tied weight is used first")
def _():
    return Case(TiedBackwards().eval(), (r(2, 4),), strict=True)


@lowered("strict_buffers", "a strict export that mutates a buffer", lambda: (r(3),), strict=True, modules=lambda: {"count": torch.zeros(3), "steps": torch.zeros((), dtype=torch.int64)})
def strict_buffers(self, x):
    self.count.add_(x)
    self.steps += 1
    return x * self.count


@lowered("strict_constants", "a strict export with lifted constants", lambda: (r(3),), strict=True)
def strict_constants(self, x):
    return x + torch.tensor([1.0, 2.0, 3.0]) * torch.ones(3)


@lowered("strict_cond", "cond with a closure in a strict export", lambda: (r(3, 4),), strict=True, modules=lambda: {"a": nn.Linear(4, 4)})
def strict_cond(self, x):
    def one(x):
        return self.a(x).sin()

    def other(x):
        return F.softplus(x)

    return torch.cond(x.sum() > 0, one, other, (x,))


@lowered("strict_cond_dynamic", "cond on a size in a strict export", lambda: (r(6, 4),), ({0: DYN},), strict=True)
def strict_cond_dynamic(self, x):
    return torch.cond(x.shape[0] > 4, lambda x: x.view(-1).sin(), lambda x: x.reshape(-1) * 2, (x,))


@lowered("strict_while", "while_loop in a strict export", lambda: (torch.tensor(0), r(3)), strict=True)
def strict_while(self, i, x):
    return while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, F.softplus(x)), (i, x))


@lowered("strict_item", "item() and checks in a strict export", lambda: (torch.tensor(4), r(8)), strict=True)
def strict_item(self, n, x):
    k = n.item()
    torch._check(k >= 2)
    torch._check(k <= 8)
    return torch.zeros(k), x.narrow(0, 0, k)


@lowered("strict_no_grad", "regions in a strict export", lambda: (r(3, 4),), strict=True, modules=lambda: {"a": nn.Linear(4, 4)})
def strict_no_grad(self, x):
    with torch.no_grad():
        y = self.a(x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        z = y @ y.t()
    return z + 1


@lowered("strict_annotations", "annotations in a strict export", lambda: (r(3, 4),), strict=True, modules=lambda: {"a": nn.Linear(4, 4)})
def strict_annotations(self, x):
    with fx_traceback.annotate({"stage": 0}):
        x = self.a(x)
    return F.mish(x)


@lowered("strict_equal_sizes", "equal sizes found by TorchDynamo", lambda: (r(4, 3), r(4, 3)), ({0: AUTO, 1: AUTO}, {0: AUTO, 1: AUTO}), strict=True)
def strict_equal_sizes(self, x, y):
    return (x + y).view(-1), x.shape[0] * y


# ---------------------------------------------------------------- control flow


@lowered("lower_cond_closure", "cond whose branches close over a parameter, a buffer and a tensor", lambda: (r(3, 4), torch.tensor(True)), modules=lambda: {"a": nn.Linear(4, 4), "b": torch.ones(4)})
def cond_closure(self, x, p):
    y = x * 2

    def one(x):
        return self.a(x) + y

    def other(x):
        return x - self.b + F.celu(y)

    return torch.cond(p, one, other, (x,)) + 1


@lowered("lower_cond_sizes", "cond whose branches use symbolic sizes", lambda: (r(6, 4), torch.tensor(False)), ({0: DYN}, None))
def cond_sizes(self, x, p):
    n = x.shape[0]
    return torch.cond(p, lambda x: x * n, lambda x: x.view(-1).sum() + x.new_ones(n, 4), (x,))


@lowered("lower_while_closure", "while_loop that closes over a weight", lambda: (torch.tensor(3), r(2, 4)), ({}, {0: DYN}), modules=lambda: {"a": nn.Linear(4, 4)})
def while_closure(self, n, x):
    return while_loop(lambda i, x: i > 0, lambda i, x: (i - 1, torch.tanh(self.a(x))), (n, x))


@lowered("lower_scan_closure", "scan with a closure and a dynamic length", lambda: (r(5, 4), r(4)), ({0: DYN}, None), modules=lambda: {"a": nn.Linear(4, 4)})
def scan_closure(self, xs, h):
    def step(h, x):
        h = torch.tanh(self.a(h) + x)
        return h, h * 2

    return scan(step, h, xs)


@lowered("lower_associative_scan", "associative_scan over a dynamic length", lambda: (r(6, 3),), ({0: DYN},))
def associative(self, x):
    return associative_scan(lambda a, b: a * b + a, x, 0, combine_mode="generic")


@lowered("lower_map_closure", "map with a weight and a decomposed body", lambda: (r(5, 4),), ({0: DYN},), modules=lambda: {"a": nn.Linear(4, 4)})
def map_closure(self, xs):
    from torch._higher_order_ops.map import map as hop_map

    return hop_map(lambda x: F.softplus(self.a(x)), xs)


@lowered("lower_cond_nested_sizes", "cond within cond, sizes and masks within", lambda: (r(6, 4), torch.tensor(True), torch.tensor(False)), ({0: DYN}, None, None))
def cond_nested_sizes(self, x, p, q):
    def inner(x):
        return torch.cond(q, lambda x: x.mean(0), lambda x: x.sum(0) / x.shape[0], (x,))

    return torch.cond(p, inner, lambda x: F.glu(torch.cat((x, x), 1))[0], (x,))


# ---------------------------------------------------------------- mutations, joint programs


@lowered("lower_mutations", "inputs and buffers written through views, with dynamic sizes", lambda: (r(4, 3), r(4, 3)), ({0: DYN}, {0: DYN}), modules=lambda: {"total": torch.zeros(3)})
def mutations(self, x, y):
    x[0].add_(1)
    x.t()[1].mul_(2)
    self.total += y.sum(0)
    z = y.clone()
    z[:, 1] = 0
    return x + z, self.total * 2


@lowered("lower_cache_update", "a cache written by index_copy and by slices", lambda: (r(2, 1, 4), torch.tensor([3])), modules=lambda: {"cache": torch.zeros(2, 8, 4)})
def cache_update(self, k, pos):
    self.cache.index_copy_(1, pos, k)
    self.cache[:, 0] = 1.0
    return self.cache.sum(1), self.cache[:, : 4]


def joint(ep):
    from torch.export.experimental import _export_forward_backward

    return _export_forward_backward(ep)


def joint_lowered(ep):
    return joint(ep).run_decompositions()


def joint_case(model, args, dynamic=None, strict=False):
    return Case(
        model,
        args,
        dynamic_shapes=dynamic,
        strict=strict,
        variants={
            "joint": ("torch.export.experimental._export_forward_backward(ep)", joint),
            "joint_lowered": ("torch.export.experimental._export_forward_backward(ep).run_decompositions()", joint_lowered),
        },
    )


class MlpLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 8), nn.Linear(8, 3)
        self.register_buffer("offset", torch.ones(3))

    def forward(self, x, add):
        return F.cross_entropy(self.b(F.silu(self.a(x))) + self.offset, add)


@program("joint_mlp", "forward and backward of a loss; an input is called like an operator")
def _():
    return joint_case(MlpLoss(), (r(5, 4), torch.randint(0, 3, (5,))))


@program("joint_mlp_dynamic", "the same with a dynamic batch")
def _():
    return joint_case(MlpLoss(), (r(5, 4), torch.randint(0, 3, (5,))), ({0: DYN}, {0: DYN}))


class NormLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.mul = nn.Linear(4, 4)
        self.view = nn.LayerNorm(4)

    def forward(self, x, t):
        return F.mse_loss(self.view(F.gelu(self.mul(x))), t).mean()


@program("joint_norm", "forward and backward through a norm; modules are called like operators")
def _():
    return joint_case(NormLoss(), (r(5, 4), r(5, 4)))


class ConvLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.c, self.f = nn.Conv2d(2, 3, 3), nn.Linear(3, 2)

    def forward(self, x):
        return self.f(F.max_pool2d(F.relu(self.c(x)), 2).mean((2, 3))).square().sum()


@program("joint_conv", "forward and backward through a convolution and a pooling")
def _():
    return joint_case(ConvLoss(), (r(2, 2, 8, 8),))


@program("joint_strict", "forward and backward of a strict export")
def _():
    return joint_case(NormLoss(), (r(5, 4), r(5, 4)), strict=True)
