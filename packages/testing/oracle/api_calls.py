"""Records what PyTorch's export records for calls of the API, and writes the same calls in TypeScript:

    oracle/py api_calls.py CALLS.fixture.ts GRAPHS.json.gz

Left out are `F.l1_loss` with weights (export loses them in `handle_torch_function`), `F.ctc_loss`
(export rejects it: the shape of its result depends on data), and `index_put` of another dtype
(export records it, and the program fails when it runs; Sconce rejects it at once).

A case is a Python expression. The TypeScript is made from its syntax tree, so both are the same
call: names in camelCase, keywords in a last object, `x[1:, None]` as `x.at("1:", null)`.
"""
import ast
import gzip
import json
import re
import sys
import warnings

import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")
INPUTS = {
    "x": torch.randn(2, 3, 4, 4),
    "y": torch.randn(2, 3, 4, 4),
    "u": torch.rand(2, 3, 4, 4),
    "m": torch.randn(3, 5),
    "t": torch.tensor([0, 4, 2]),
    "v": torch.randn(4, 3, 6),
    "q": torch.randn(5, 2, 8),
    "w": torch.randn(24, 8),
    "b": torch.randn(24),
    "i": torch.tensor([[0, 2, 1, 1], [3, 0, 2, 1]]),
    "k": torch.tensor([True, False, True, False]),
}
MHA = "F.multi_head_attention_forward(q, {}, 8, 2, w, b, {}, {}, 0.0, w[:8], b[:8]{})"
CASES = """
F.relu(x)
F.relu(x.clone(), inplace=True)
F.relu6(x)
F.elu(x)
F.elu(x, 0.5)
F.elu(x.clone(), 1.0, True)
F.selu(x)
F.celu(x)
F.celu(x, alpha=0.5)
F.leaky_relu(x)
F.leaky_relu(x, 0.2)
F.leaky_relu_(x.clone(), 0.2)
F.prelu(x, b[:3])
F.rrelu(x)
F.logsigmoid(x)
F.gelu(x)
F.gelu(x, approximate='tanh')
F.hardshrink(x)
F.hardshrink(x, 0.3)
F.tanhshrink(x)
F.softsign(x)
F.softplus(x)
F.softplus(x, 2, 10)
F.softmin(x, 1)
F.softmin(x)
F.softmax(x, 1)
F.softmax(x, dim=-1, dtype=torch.float64)
F.softmax(m)
F.log_softmax(m, 1)
F.log_softmax(x, dim=1, dtype=torch.float64)
F.gumbel_softmax(m)
F.gumbel_softmax(m, 0.5, True)
F.softshrink(x)
F.tanh(x)
F.sigmoid(x)
F.hardsigmoid(x)
F.hardswish(x)
F.silu(x)
F.silu(x.clone(), inplace=True)
F.mish(x)
F.hardtanh(x)
F.hardtanh(x, 0.0, 6.0)
F.threshold(x, 0.1, 20.0)
F.glu(v, 2)
F.dropout(x)
F.dropout(x, 0.2, False)
F.dropout(x.clone(), inplace=True)
F.alpha_dropout(x, training=True)
F.dropout1d(v)
F.dropout1d(m)
F.dropout2d(x)
F.dropout3d(x)
F.feature_alpha_dropout(x, 0.3, True)
F.linear(q, w)
F.linear(q, w, b)
F.bilinear(m, m, torch.ones(2, 5, 5))
F.embedding(i, w)
F.embedding(i, w, 3)
F.embedding(i, w, padding_idx=-1, scale_grad_by_freq=True)
F.embedding_bag(i, w)
F.embedding_bag(i, w, mode='sum')
F.embedding_bag(t, w, torch.arange(0, 3))
F.embedding_bag(i, w, mode='sum', per_sample_weights=torch.ones(2, 4))
F.batch_norm(x, b[:3], b[3:6].abs())
F.batch_norm(x, b[:3].clone(), b[3:6].abs(), b[6:9], b[9:12], True, 0.2, 0.001)
F.batch_norm(x, None, None, training=True)
F.instance_norm(x)
F.instance_norm(x, weight=b[:3], bias=b[3:6])
F.layer_norm(x, [4])
F.layer_norm(x, (4, 4), x[0, 0], y[0, 0], 0.01)
F.rms_norm(x, [4])
F.rms_norm(x, [4], b[:4], 1e-6)
F.group_norm(x, 3)
F.group_norm(x, 1, b[:3], b[3:6], 0.1)
F.local_response_norm(x, 2)
F.local_response_norm(v, 3, 0.001, 0.5, 2.0)
F.normalize(x)
F.normalize(x, 1.0, 0, 0.1)
F.normalize(x, p=2.0, dim=-1)
F.conv1d(v, torch.ones(2, 3, 2))
F.conv2d(x, torch.ones(2, 3, 2, 2), None, 2, 1)
F.conv2d(x, torch.ones(2, 3, 2, 2), padding='same')
F.conv2d(x, torch.ones(3, 1, 2, 2), b[:3], stride=(1, 2), padding=(0, 1), dilation=1, groups=3)
F.conv3d(x.unsqueeze(0), torch.ones(2, 2, 2, 2, 2))
F.conv_transpose1d(v, torch.ones(3, 2, 2))
F.conv_transpose2d(x, torch.ones(3, 2, 2, 2), stride=2, output_padding=1)
F.unfold(x, 2)
F.unfold(x, (2, 1), 1, 1, 2)
F.fold(torch.ones(2, 12, 9), (4, 4), 2)
F.avg_pool1d(v, 2)
F.avg_pool2d(x, 2)
F.avg_pool2d(x, (2, 1), 1, (1, 0), True, False, 3)
F.avg_pool3d(x, 2)
F.max_pool1d(v, 2)
F.max_pool1d(v, 2, return_indices=True)
F.max_pool2d(x, 2)
F.max_pool2d(x, 2, 1, 1, 1, True)
F.max_pool2d(x, (2, 2), return_indices=True)
F.max_pool3d(x, 2)
F.max_pool3d(x, 2, return_indices=True)
F.max_unpool2d(x, torch.zeros(2, 3, 4, 4, dtype=torch.int64), 2)
F.max_unpool2d(x, torch.zeros(2, 3, 4, 4, dtype=torch.int64), 2, 2, 0, (2, 3, 8, 8))
F.max_unpool1d(v, torch.zeros(4, 3, 6, dtype=torch.int64), 2)
F.lp_pool1d(v, 2.0, 2)
F.lp_pool2d(x, 2, 2)
F.lp_pool2d(x, 3.0, (2, 1), 1, True)
F.adaptive_avg_pool1d(v, 2)
F.adaptive_avg_pool2d(x, 2)
F.adaptive_avg_pool2d(x, (None, 2))
F.adaptive_avg_pool3d(x, 1)
F.adaptive_max_pool1d(v, 2)
F.adaptive_max_pool2d(x, (2, None))
F.adaptive_max_pool2d(x, 2, return_indices=True)
F.fractional_max_pool2d(x, 2, output_size=(2, 2))
F.fractional_max_pool2d(x, 2, output_ratio=(0.5, 0.5))
F.pad(x, (1, 1))
F.pad(x, (1, 1, 2, 2), 'reflect')
F.pad(x, (1, 1), value=2.0)
F.pad(x, (1, 0), mode='constant', value=1.5)
F.interpolate(x, 8)
F.interpolate(x, (8, 6), mode='bilinear')
F.interpolate(x, scale_factor=2)
F.interpolate(x, scale_factor=2.0, mode='bilinear', align_corners=True)
F.interpolate(x, scale_factor=(2.0, 1.5), mode='bicubic')
F.interpolate(x, scale_factor=1.5, recompute_scale_factor=True)
F.interpolate(x, scale_factor=0.5, mode='area')
F.interpolate(x, 2, mode='area')
F.interpolate(v, 3, mode='linear')
F.interpolate(v, scale_factor=2.0, mode='nearest-exact')
F.interpolate(x, (2, 2), mode='bilinear', antialias=True)
F.upsample(x, scale_factor=2)
F.upsample_nearest(x, 8)
F.upsample_bilinear(x, 8)
F.grid_sample(x, torch.zeros(2, 2, 2, 2))
F.grid_sample(x, torch.zeros(2, 2, 2, 2), 'nearest', 'border', True)
F.affine_grid(torch.ones(2, 2, 3), [2, 3, 4, 4])
F.pixel_shuffle(torch.ones(1, 4, 2, 2), 2)
F.pixel_unshuffle(x, 2)
F.channel_shuffle(x, 3)
F.cosine_similarity(x, y)
F.cosine_similarity(x, y, dim=-1, eps=1e-6)
F.pairwise_distance(m, m)
F.pdist(m)
F.one_hot(t, 5)
F.mse_loss(x, y)
F.mse_loss(x, y, reduction='sum')
F.mse_loss(x, y, reduction='none', weight=u)
F.mse_loss(x, y, weight=u)
F.l1_loss(x, y)
F.l1_loss(x, y, reduction='sum')
F.smooth_l1_loss(x, y)
F.smooth_l1_loss(x, y, beta=0.5)
F.smooth_l1_loss(x, y, beta=0.0)
F.huber_loss(x, y)
F.huber_loss(x, y, 'sum', 0.5)
F.huber_loss(x, y, weight=u)
F.cross_entropy(m, t)
F.cross_entropy(m, t, reduction='none', label_smoothing=0.1)
F.cross_entropy(m, t, b[:5], ignore_index=2)
F.cross_entropy(m, t, size_average=False)
F.nll_loss(m, t)
F.nll_loss(m, t, b[:5], reduction='sum', ignore_index=1)
F.poisson_nll_loss(x, y)
F.poisson_nll_loss(x, y, False, True)
F.gaussian_nll_loss(x, y, 1.0)
F.kl_div(x, y)
F.kl_div(x, y, reduction='batchmean', log_target=True)
F.binary_cross_entropy(u, u)
F.binary_cross_entropy(u, u, u[0])
F.binary_cross_entropy_with_logits(x, u)
F.binary_cross_entropy_with_logits(x, u, pos_weight=b[:4])
F.margin_ranking_loss(m, m, m)
F.margin_ranking_loss(m, m, m, 0.5, reduction='sum')
F.hinge_embedding_loss(m, m)
F.multilabel_margin_loss(m, torch.zeros(3, 5, dtype=torch.int64))
F.soft_margin_loss(m, m)
F.multilabel_soft_margin_loss(m, m)
F.multilabel_soft_margin_loss(m, m, b[:5], reduction='sum')
F.cosine_embedding_loss(m, m, b[:3])
F.multi_margin_loss(m, t)
F.multi_margin_loss(m, t, 2, 0.5, b[:5])
F.triplet_margin_loss(m, m, m)
F.triplet_margin_loss(m, m, m, 0.5, 1.0, swap=True)
F.triplet_margin_with_distance_loss(m, m, m)
F.triplet_margin_with_distance_loss(m, m, m, margin=0.5, swap=True, reduction='sum')
F.linear_cross_entropy(m, w[:, :5], t)
F.scaled_dot_product_attention(x, y, x)
F.scaled_dot_product_attention(x, y, x, is_causal=True)
F.scaled_dot_product_attention(x, y, x, dropout_p=0.1, scale=0.5)
"""
MHA_CASES = [
    MHA.format("q, q", "None, None", "False", ""),
    MHA.format("q, q", "None, None", "False", ", training=False"),
    MHA.format("q, q", "None, None", "False", ", need_weights=False"),
    MHA.format("q, q", "None, None", "False", ", average_attn_weights=False"),
    MHA.format("x.reshape(6, 2, 8), x.reshape(6, 2, 8)", "None, None", "False", ""),
    MHA.format("q.clone(), q.clone()", "None, None", "True", ", need_weights=False"),
    MHA.format("q, q", "b[:8].view(1, 1, 8), b[8:16].view(1, 1, 8)", "True", ""),
    MHA.format("q, q", "None, None", "False", ", attn_mask=torch.zeros(5, 5)"),
    MHA.format("q, q", "None, None", "False", ", attn_mask=torch.ones(5, 5, dtype=torch.bool), need_weights=False"),
    MHA.format("q, q", "None, None", "False", ", key_padding_mask=torch.zeros(2, 5, dtype=torch.bool)"),
    MHA.format("q, q", "None, None", "False", ", key_padding_mask=torch.zeros(2, 5), attn_mask=torch.zeros(5, 5), need_weights=False"),
    MHA.format("q, q", "None, None", "False", ", attn_mask=torch.zeros(5, 5), is_causal=True, need_weights=False"),
]
MORE = """
x[0]
x[-1]
x[1:]
x[:]
x[:1]
x[0:2]
x[::2]
x[None]
x[None, None]
x[...]
x[..., 0]
x[..., None]
x[:, 0]
x[:, :, 1:]
x[:, 0:3]
x[0, 1, 2]
x[-2:]
x[:-1]
x[0:1, None, ..., 0]
v[[0, 2]]
v[:, [0, 2]]
v[[0, 2], [1, 1]]
v[[0, 2], :, [1, 1]]
v[t]
v[:, None, t]
v[None, [0, 1]]
v[[0, 1], None]
v[[0, 1], 0]
v[0, [0, 1]]
v[True]
v[True, 0]
v[i]
v[[[0, 1], [1, 2]]]
v[k]
v[:, k[:3]]
x.to(torch.int64)
x.to('cpu')
x.to('cpu', torch.float64)
x.to(torch.float64, copy=True)
x.to(dtype=torch.int32)
x.to(t)
x.to(copy=True)
x.long()
x.double()
x.type_as(t)
x.type(torch.int64)
x.cpu()
m.T
x.mT
m.H
x.mH
x.contiguous()
x.mT.contiguous()
x.to()
x.mT.contiguous(memory_format=torch.contiguous_format)
x.contiguous(memory_format=torch.channels_last)
x.split(1)
x.split([1, 2], 1)
torch.split(x, 1, dim=2)
torch.split(x, [1, 1])
x.chunk(2, 1)
x.unbind(1)
torch.einsum('bchw,bdhw->bcd', x, y)
torch.einsum('ij,kj,lj->ikl', m, m, m)
torch.einsum(m, [0, 1], m, [2, 1], [0, 2])
torch.tensordot(m, m, dims=([0], [0]))
torch.tensordot(m, m.mT, 1)
torch.norm(x)
torch.norm(x, 2, 1)
torch.norm(x, p=1, dim=(1, 2), keepdim=True)
torch.norm(m, 'nuc')
torch.norm(x, 'fro', (1, 2))
x.norm()
x.norm(1, -1, True)
x.norm(dim=1, dtype=torch.float64)
torch.meshgrid(t, t, indexing='ij')
torch.meshgrid([t, t], indexing='xy')
torch.broadcast_tensors(x, x[0])
torch.cdist(v, v)
torch.cdist(v, v, p=1.0)
torch.cdist(v, v, compute_mode='donot_use_mm_for_euclid_dist')
torch.cartesian_prod(t, t)
torch.block_diag(m, m)
torch.atleast_1d(m)
torch.atleast_2d(t, m)
torch.atleast_3d([t, m])
torch.stft(w.reshape(-1), 16, return_complex=True)
torch.stft(w, 4, 2, 4, b[:4], center=False, return_complex=True)
torch.istft(torch.stft(w.reshape(-1), 16, return_complex=True), 16)
torch.svd_lowrank(m, 2)
torch.pca_lowrank(m, 2)
torch.lu(torch.eye(3))
torch.unravel_index(t, (2, 3))
torch.zeros(2, 3)
torch.zeros([2, 3], dtype=torch.int64)
torch.ones((2,))
torch.full((2, 2), 3.0)
torch.full([2], 7)
torch.empty(2)
torch.arange(5)
torch.arange(1, 5)
torch.arange(1, 9, 2, dtype=torch.float32)
torch.linspace(0, 1, 5)
torch.eye(3)
torch.eye(3, 4)
torch.rand(2)
torch.randn(2, 3)
torch.randint(5, (2,))
torch.randint(1, 5, (2,))
torch.randperm(5)
torch.range(0, 3)
torch.range(0, 3, device='meta')
torch.zeros_like(x)
torch.ones_like(x, dtype=torch.int64)
torch.rand_like(x)
torch.full_like(x, 2.0)
x.new_zeros(2, 3)
x.new_full((2,), 3.0)
x.new_empty([2])
x.new_ones((2, 2), dtype=torch.bool)
x.new_tensor([1.5, 2.5])
torch.tensor([1.5, 2.5])
torch.tensor([[1, 2], [3, 4]])
torch.tensor(3)
torch.tensor(2.5, dtype=torch.float64)
torch.tensor([True, False])
torch.as_tensor([1.5, 2.5])
torch.as_tensor(x)
torch.as_tensor(x, dtype=torch.float64)
torch.asarray(x)
torch.asarray(x, dtype=torch.float64)
torch.asarray(x, copy=True)
torch.asarray(x, dtype=torch.float64, copy=True)
torch.asarray(x, device='meta')
torch.scalar_tensor(3)
torch.where(x > 0, x, y)
torch.where(x > 0, 1.0, x)
torch.where(x > 0, 1.0, 0.0)
x + 1
x * 2.5
1 - x
2 / x
2 ** x
x ** 2
x // 2
x % 2
-x
x @ y
x == 1
x != y
(x > 0) & (y > 0)
~(x > 0)
torch.add(x, y, alpha=2)
torch.add(x, 1)
torch.sub(x, 1.5, alpha=2)
torch.pow(2, x)
torch.pow(x, y)
torch.clamp(x, min=0)
x.clamp(-1, 1)
x.clamp(max=0.5)
x.sum()
x.sum(0)
x.sum([0, 1])
x.sum((0, 1), True)
x.sum(dim=1, dtype=torch.float64)
x.mean()
x.mean(1)
x.mean((2, 3), keepdim=True)
x.std()
x.std(1)
x.var(1, correction=0)
x.var(1, False)
torch.var_mean(x, 1)
x.max()
x.max(1)
torch.max(x, y)
x.amax((1, 2))
x.argmax(1)
x.all()
(x > 0).all(1)
(x > 0).any((0, 1))
x.view(2, -1)
x.view([2, 48])
x.reshape(6, -1)
x.permute(0, 2, 3, 1)
x.transpose(1, 2)
x.expand(3, 2, 3, 4, 4)
x.repeat(1, 2, 1, 1)
x.flatten(1)
x.unflatten(1, (1, 3))
x.squeeze()
x.unsqueeze(-1)
x.flip(0)
x.flip([0, 1])
x.roll(1, 0)
x.roll((1, 2), (0, 1))
x.tile(2, 1)
x.movedim(1, -1)
x.gather(3, torch.zeros(2, 3, 4, 1, dtype=torch.int64))
x.index_select(0, t[:1])
x.masked_fill(x > 0, 0.0)
x.masked_fill(x > 0, -1)
v.scatter(0, torch.zeros(1, 3, 6, dtype=torch.int64), 1.0)
x.topk(2)
x.sort(dim=1, descending=True)
x.cumsum(0)
x.softmax(-1)
torch.cat([x, y], 1)
torch.cat((x, y), dim=-1)
torch.stack([x, y])
torch.hstack([x, y])
torch.tensor_split(x, 2, 2)
torch.tensor_split(x, (1, 2), 2)
torch.addmm(m, m, torch.eye(5))
torch.baddbmm(v, v, torch.zeros(4, 6, 6), beta=0.5)
torch.bmm(v, v.mT)
torch.triu(m)
torch.tril(m, -1)
torch.outer(t, t)
torch.special.expit(x)
torch.special.xlogy(x, 2.0)
torch.special.logit(u, eps=0.1)
torch.linalg.norm(m)
torch.linalg.vector_norm(x, 2.0, (1, 2))
torch.linalg.matrix_norm(m, 'fro')
torch.linalg.qr(m)
torch.linalg.inv(torch.eye(3))
torch.fft.fft(x)
torch.fft.rfft(x, n=4, dim=1)
torch.fft.irfft2(torch.fft.rfft2(x))
torch.fft.fftshift(x)
torch.fft.fftfreq(4)
torch.nan_to_num(x, nan=1.0)
torch.bernoulli(u)
torch.normal(x, 1.0)
torch.normal(0.0, 1.0, (2,))
torch.dropout(x, 0.5, True)
torch.gradient(m)
torch.bucketize(m, b)
torch.searchsorted(b, m)
x.sum().item()
x * x.sum().item()
torch.add(x, x, alpha=x[0, 0, 0, 0])
x.real
torch.complex(x, y).imag
torch.conj(torch.complex(x, y))
x.is_floating_point()
x.to(torch.result_type(x, t))
x.to(torch.result_type(t, 1.5))
t.to(torch.promote_types(torch.int64, torch.float64))
x.detach()
x.clone()
x.fill_(1.0).mul_(2)
x.clone().copy_(y)
x.clone().add_(1).relu_()
x.clone().zero_()
"""

ASSIGNMENTS = """
x[0] = 1.0
x[0] = 1
x[:] = 2.0
x[1:] = x[:1]
x[...] = 0
x[0, 1] = x[0, 0]
x[0, :, 2] = 3
x[::2] = 1
x[0] = x[0, 0, 0, 0]
x[0:2] = x[0, 0]
x[0] = x[0:1]
x[None] = x
x[True] = 1.0
x[0] = True
x[0] = x[1].long()
x[0, 0, 0, 0] = 5.0
x[:, 1:, ..., 0] = 0.5
x[x > 0] = 0
x[:, :, 0] = y[:, :, 1]
v[[0, 2]] = 1.0
v[[0, 2]] = v[0]
v[[0, 2]] = v[0:1]
v[:, [0, 1]] = v[:, 0:2]
v[k] = 0.0
v[t[:1], 1:] = 2.0
t[0] = 3
t[1:] = t[:2]
k[0] = True
"""


class Writer(ast.NodeVisitor):
    """Writes an expression in TypeScript."""

    BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floor_divide", ast.Mod: "remainder",
              ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "__and__"}
    REVERSED = {ast.Sub: "torch.rsub({b}, {a})", ast.Div: "{b}.reciprocal().mul({a})", ast.Pow: "torch.pow({a}, {b})"}
    COMPARE = {ast.Eq: "eq", ast.NotEq: "ne", ast.Gt: "gt", ast.Lt: "lt"}

    def visit_Name(self, node):
        return node.id

    def visit_Constant(self, node):
        value = node.value
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        if value is Ellipsis:
            return '"..."'
        if isinstance(value, float):
            return f"float({value!r})" if value.is_integer() else repr(value)
        return json.dumps(value)

    def visit_Tuple(self, node):
        return f"[{', '.join(map(self.visit, node.elts))}]"

    visit_List = visit_Tuple

    def visit_Attribute(self, node):
        if isinstance(node.value, ast.Name) and node.value.id == "torch" and isinstance(getattr(torch, node.attr, None), (torch.dtype, torch.memory_format)):
            return f'"{node.attr}"'
        return f"{self.visit(node.value)}.{camel(node.attr)}"

    def visit_UnaryOp(self, node):
        operand = self.visit(node.operand)
        if isinstance(node.operand, ast.Constant):
            value = node.operand.value
            return f"float(-{value!r})" if isinstance(value, float) and value.is_integer() else f"-{value}"
        return f"{operand}.{'neg' if isinstance(node.op, ast.USub) else 'bitwiseNot'}()"

    def visit_BinOp(self, node):
        a, b = self.visit(node.left), self.visit(node.right)
        if isinstance(node.left, ast.Constant):
            return self.REVERSED[type(node.op)].format(a=a, b=b)
        name = camel(self.BINARY[type(node.op)])
        return f"{a}[{json.dumps(name)}]({b})" if name.startswith("__") else f"{a}.{name}({b})"

    def visit_Compare(self, node):
        return f"{self.visit(node.left)}.{self.COMPARE[type(node.ops[0])]}({self.visit(node.comparators[0])})"

    def visit_Slice(self, node):
        parts = [node.lower, node.upper] + ([node.step] if node.step else [])
        return json.dumps(":".join("" if part is None else ast.unparse(part) for part in parts))

    def visit_Subscript(self, node):
        index = node.slice
        items = index.elts if isinstance(index, ast.Tuple) else [index]
        return f"{self.visit(node.value)}.at({', '.join(map(self.visit, items))})"

    def visit_Call(self, node):
        arguments = [self.visit(a) for a in node.args]
        if node.keywords:
            arguments.append("{ " + ", ".join(f"{camel(k.arg)}: {self.visit(k.value)}" for k in node.keywords) + " }")
        return f"{self.visit(node.func)}({', '.join(arguments)})"


def camel(name):
    return re.sub(r"(?<=[A-Za-z0-9])_+([A-Za-z0-9])", lambda match: match[1].upper(), name)


def assignment(text):
    """A statement on a copy: its name, what it writes, where, and the Python text of a function."""
    statement = ast.parse(text).body[0]
    target = statement.targets[0]
    name = target.value.id
    indices = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
    writer = Writer()
    body = f"const z = {name}.clone(); z.setAt([{', '.join(map(writer.visit, indices))}], {writer.visit(statement.value)}); return z;"
    return f"z = {name}.clone(); z[{', '.join(map(ast.unparse, indices))}] = {ast.unparse(statement.value)}; return z", f"{{ {body} }}"


def function_name(node):
    """`torch_fn` of a call; what export itself adds has none here."""
    if "torch_fn" not in node.meta or re.match(r"aten\.(_assert|sym_)|<built-in function [lg]e>", str(node.target)):
        return ""
    return " ".join(node.meta["torch_fn"])


def record(text, body):
    used = [name for name in INPUTS if re.search(rf"\b{name}\b", text)]
    scope = {"torch": torch, "F": F}
    exec(f"class Case(torch.nn.Module):\n    def forward(self, {', '.join(used)}):\n        {body}", scope)
    program = torch.export.export(scope["Case"](), tuple(INPUTS[name].clone() for name in used), strict=False)
    nodes = [node for node in program.graph.nodes if node.op == "call_function"]
    lines = [node.format_node() for node in nodes]
    names = [function_name(node) for node in nodes]
    if any(isinstance(part, (ast.BinOp, ast.Compare, ast.UnaryOp)) for part in ast.walk(ast.parse(text))):
        names = None  # operators of Python are methods in TypeScript
    return used, names, [re.sub(r"^%(\w+) : \[num_users=\d+\] = call_function\[target=(torch\.ops\.)?([^\]]+)\]", r"\1 = \3", line).replace("torch.ops.", "") for line in lines]


def main(types, graphs):
    recorded, cases = {}, []
    for text in [*CASES.strip().split("\n"), *MHA_CASES, *MORE.strip().split("\n"), *ASSIGNMENTS.strip().split("\n")]:
        is_assignment = text in ASSIGNMENTS.strip().split("\n")
        python, script = assignment(text) if is_assignment else (f"return {text}", None)
        used, names, lines = record(text, python)
        recorded[text] = [lines, names]
        script = script or Writer().visit(ast.parse(text, mode="eval").body)
        cases.append(f"  [{json.dumps(text)}, {json.dumps(used)}, ({', '.join(f'{n}: Tensor' for n in used)}) => {script}],\n")
    with open(types, "w") as out:
        out.write("/** @file Calls of the API, written from Python's. Generated; see testing/oracle. */\n")
        out.write('import type { Tensor } from "@sconce/tensor";\nimport { float } from "@sconce/ir";\n')
        out.write('import { functional as F } from "../nn/functional.js";\nimport { torch } from "./torch.js";\n\n')
        out.write("/** A call in Python, the names of its inputs, and the call in TypeScript. */\n")
        out.write("export type ApiCase = readonly [string, readonly string[], (...inputs: Tensor[]) => unknown];\n\n")
        out.write("export const API_CASES: readonly ApiCase[] = [\n" + "".join(cases) + "];\n")
    with open(graphs, "wb") as out, gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9, mtime=0) as file:
        file.write(json.dumps(recorded, separators=(",", ":")).encode())
    print(len(cases), "cases")


main(*sys.argv[1:])
