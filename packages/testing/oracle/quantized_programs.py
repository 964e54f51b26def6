"""Record networks in the forms that PyTorch's quantization tools write, with every integer that they compute.

    python3 quantized_programs.py OUT.safetensors
    python3 quantized_programs.py --check FOLDER OUT.safetensors

Three forms:
- fx: what `_convert_to_reference_decomposed_fx` of `torch.ao.quantization.quantize_fx` makes of a calibrated model.
- pt2e: q/dq calls in modules, in the form of torchao's `convert_pt2e`, which PyTorch 2.14 does not hold: weights are folded to buffers of int8.
- torchao, and products of packed weights: calls of those operators in modules.

OUT gets, for each program NAME, the archive (`NAME/pt2`), the inputs (`NAME/in/0`, ...), the outputs (`NAME/out/0`, ...) and the values of each node that
quantizes or chooses parameters (`NAME/node/quantize_per_tensor`). Programs with a dynamic batch have another call, `NAME@batch/in/0`, .... The metadata has the texts of the program and of the lowered one, as JSON.

With --check, FOLDER has the programs that Sconce saved: SCONCE_SAVED_QUANTIZED=FOLDER npx vitest run --config .config/vitest.full.config.ts
packages/conformance/src/quantized-programs. PyTorch loads each, prints the text beside it, and computes the recorded outputs.
"""
import io
import json
import os
import sys
import warnings

import torch
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "ops"))
warnings.filterwarnings("ignore")
import torch.ao.quantization.fx._decomposed  # noqa: E402,F401
import torchao_definitions  # noqa: E402,F401
from torch.ao.quantization import QConfig, QConfigMapping, default_dynamic_qconfig, default_weight_observer, get_default_qconfig_mapping, quantize_fx  # noqa: E402
from torch.ao.quantization.observer import HistogramObserver, MinMaxObserver, PerChannelMinMaxObserver  # noqa: E402

Q, T, A = torch.ops.quantized_decomposed, torch.ops.torchao, torch.ops.aten
I8, U8, I16 = torch.int8, torch.uint8, torch.int16
PROGRAMS = {}
SAVED = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL"}
KEPT = ("quantize", "choose_qparams", "_int_mm", "out_dtype", "dyn_quant_pack", "int4pack")


def program(name, dynamic=None):
    def register(make):
        PROGRAMS[name] = (make, dynamic)
        return make

    return register


# --------------------------------------------------------------------------
# The form of convert_pt2e


class Act(nn.Module):
    """Quantizes an activation with constants that a first run finds."""

    def __init__(self, dtype=I8, low=-128, high=127):
        super().__init__()
        self.form, self.range = (low, high, dtype), None
        self.ends = [0.0, 0.0]

    def forward(self, x):
        low, high, dtype = self.form
        if self.range is None:
            self.ends = [min(self.ends[0], float(x.min())), max(self.ends[1], float(x.max()))]
            return x
        scale, zero = self.range
        return Q.dequantize_per_tensor(Q.quantize_per_tensor(x, scale, zero, low, high, dtype), scale, zero, low, high, dtype)

    def freeze(self):
        low, high, dtype = self.form
        observer = MinMaxObserver(dtype=torch.qint8 if dtype == I8 else torch.quint8, quant_min=low, quant_max=high) if dtype in (I8, U8) else None
        if observer is None:
            self.range = (max(-self.ends[0], self.ends[1]) / high, 0)
            return
        observer(torch.tensor(self.ends))
        scale, zero = observer.calculate_qparams()
        self.range = (float(scale), int(zero))


class Dynamic(nn.Module):
    """Quantizes an activation with parameters that each run chooses."""

    def __init__(self, symmetric=False):
        super().__init__()
        self.choose = Q.choose_qparams_symmetric.tensor if symmetric else Q.choose_qparams.tensor

    def forward(self, x):
        scale, zero = self.choose(x, -127 if self.choose is Q.choose_qparams_symmetric.tensor else -128, 127, 1.1920928955078125e-07, I8)
        return Q.dequantize_per_tensor.tensor(Q.quantize_per_tensor.tensor(x, scale, zero, -128, 127, I8), scale, zero, -128, 127, I8)


class PerToken(nn.Module):
    def __init__(self, symmetric=False):
        super().__init__()
        self.choose = Q.choose_qparams_per_token if symmetric else Q.choose_qparams_per_token_asymmetric

    def forward(self, x):
        scale, zero = self.choose(x, I8)
        return Q.dequantize_per_token(Q.quantize_per_token(x, scale, zero, -128, 127, I8), scale, zero, -128, 127, I8, torch.float32)


class Weight(nn.Module):
    """A weight as a buffer of int8 that each run dequantizes."""

    def __init__(self, weight, axis=0, per_channel=True, group=None):
        super().__init__()
        self.axis, self.group, self.per_channel = axis, group, per_channel
        weight = weight.detach()
        if group is not None:
            scale = weight.reshape(-1, group).abs().amax(1).reshape(weight.shape[0], -1) / 7
            frozen = Q.quantize_per_channel_group(weight, scale, torch.zeros_like(scale, dtype=torch.int64), -8, 7, I8, group)
        elif per_channel:
            scale = weight.abs().amax([d for d in range(weight.dim()) if d != axis]) / 127
            frozen = Q.quantize_per_channel(weight, scale, torch.zeros_like(scale, dtype=torch.int64), axis, -127, 127, I8)
        else:
            self.scale = float(weight.abs().max() / 127)
            frozen = Q.quantize_per_tensor(weight, self.scale, 0, -127, 127, I8)
        self.register_buffer("_frozen_param0", frozen)
        if group is not None or per_channel:
            self.register_buffer("_scale_0", scale)
            self.register_buffer("_zero_point_0", torch.zeros_like(scale, dtype=torch.int64))

    def forward(self):
        if self.group is not None:
            return Q.dequantize_per_channel_group(self._frozen_param0, self._scale_0, self._zero_point_0, -8, 7, I8, self.group, torch.float32)
        if self.per_channel:
            return Q.dequantize_per_channel(self._frozen_param0, self._scale_0, self._zero_point_0, self.axis, -127, 127, I8)
        return Q.dequantize_per_tensor(self._frozen_param0, self.scale, 0, -127, 127, I8)


class Linear(nn.Module):
    def __init__(self, inner, outer, bias=True, **weight):
        super().__init__()
        layer = nn.Linear(inner, outer, bias=bias)
        self.weight, self.bias = Weight(layer.weight, **weight), layer.bias

    def forward(self, x):
        return F.linear(x, self.weight(), self.bias)


class Conv(nn.Module):
    def __init__(self, layer, norm=None, **weight):
        super().__init__()
        if norm is not None:
            norm.running_mean.normal_(), norm.running_var.uniform_(0.5, 2), norm.weight.data.uniform_(0.5, 2), norm.bias.data.normal_()
            layer = nn.utils.fusion.fuse_conv_bn_eval(layer.eval(), norm.eval())
        self.weight, self.bias = Weight(layer.weight, axis=1 if layer.transposed else 0, **weight), layer.bias
        self.transposed = layer.transposed
        self.settings = (layer.stride, layer.padding, layer.output_padding, layer.groups, layer.dilation)

    def forward(self, x):
        stride, padding, output_padding, groups, dilation = self.settings
        rank = x.dim() - 2
        if self.transposed:
            return getattr(F, f"conv_transpose{rank}d")(x, self.weight(), self.bias, stride, padding, output_padding, groups, dilation)
        return getattr(F, f"conv{rank}d")(x, self.weight(), self.bias, stride, padding, dilation, groups)


class Net(nn.Module):
    """Layers by name, and a forward over them; `self.a0`, ... quantize activations."""

    def __init__(self, run, acts=8, act=Act, **layers):
        super().__init__()
        for name, layer in layers.items():
            setattr(self, name, layer)
        self.a = nn.ModuleList(act() for _ in range(acts))
        self.run = run

    def forward(self, *given):
        return self.run(self, *given)


def pt2e(name, run, inputs, dynamic=None, **layers):
    def make():
        net = Net(run, **{key: layer if key == "act" else layer() for key, layer in layers.items()}).eval()
        given = inputs()
        with torch.no_grad():
            for _ in range(3):
                net(*inputs())
        for module in net.modules():
            if isinstance(module, Act):
                module.freeze()
        return net, given

    program(f"pt2e_{name}", dynamic)(make)


BATCH = (({0: torch.export.Dim("batch", min=2, max=64)},),)
pt2e("linear", lambda n, x: n.a[1](n.l(n.a[0](x))), lambda: (torch.randn(3, 8),), l=lambda: Linear(8, 5))
pt2e("linear_per_tensor", lambda n, x: n.a[1](n.l(n.a[0](x))), lambda: (torch.randn(3, 8),), l=lambda: Linear(8, 5, per_channel=False))
pt2e("mlp", lambda n, x: n.a[3](n.m(n.a[2](F.relu(n.l(n.a[0](x)))))), lambda: (torch.randn(4, 12),), BATCH, l=lambda: Linear(12, 16), m=lambda: Linear(16, 6))
pt2e("conv", lambda n, x: n.a[1](F.relu(n.c(n.a[0](x)))), lambda: (torch.randn(1, 3, 6, 6),), c=lambda: Conv(nn.Conv2d(3, 4, 3, padding=1)))
pt2e("conv_batch", lambda n, x: n.a[1](F.relu(n.c(n.a[0](x)))), lambda: (torch.randn(3, 3, 5, 5),), BATCH, c=lambda: Conv(nn.Conv2d(3, 4, 3, stride=2)))
pt2e("conv_bn", lambda n, x: n.a[2](F.relu(n.d(n.a[1](F.relu(n.c(n.a[0](x))))))), lambda: (torch.randn(1, 3, 8, 8),), c=lambda: Conv(nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6)), d=lambda: Conv(nn.Conv2d(6, 4, 3), nn.BatchNorm2d(4)))
pt2e("conv1d", lambda n, x: n.a[1](F.relu(n.c(n.a[0](x)))), lambda: (torch.randn(2, 4, 10),), c=lambda: Conv(nn.Conv1d(4, 5, 3, dilation=2)))
pt2e("conv3d", lambda n, x: n.a[1](n.c(n.a[0](x))), lambda: (torch.randn(1, 2, 4, 4, 4),), c=lambda: Conv(nn.Conv3d(2, 3, 2)))
pt2e("residual", lambda n, x: n.a[4](F.relu(n.a[3](n.d(n.a[2](F.relu(n.c(n.a[0](x)))))) + n.a[0](x))), lambda: (torch.randn(1, 4, 6, 6),), c=lambda: Conv(nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4)), d=lambda: Conv(nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4)))
pt2e("pools", lambda n, x: (n.a[2](F.avg_pool2d(n.a[1](F.max_pool2d(n.a[0](x), 2)), 2)), n.a[4](F.adaptive_avg_pool2d(n.a[3](x), (1, 1)))), lambda: (torch.randn(1, 3, 8, 8),))
pt2e("cat", lambda n, x, y: n.a[3](torch.cat([n.a[0](x), n.a[1](F.relu(n.a[2](y)))], 1)), lambda: (torch.randn(2, 3, 4), torch.randn(2, 2, 4)))
pt2e("mean", lambda n, x: n.a[1](n.a[0](x).mean([2, 3])), lambda: (torch.randn(2, 3, 4, 5),))
pt2e("mul_clamp", lambda n, x, y: n.a[3](n.a[2](n.a[0](x) * n.a[1](y)).clamp(0, 6)), lambda: (torch.randn(3, 5) * 3, torch.randn(3, 5)))
pt2e("depthwise", lambda n, x: n.a[3](n.e(n.a[2](F.hardtanh(n.d(n.a[1](F.hardtanh(n.c(n.a[0](x)), 0, 6))), 0, 6)))), lambda: (torch.randn(1, 4, 6, 6),),
     c=lambda: Conv(nn.Conv2d(4, 8, 1), nn.BatchNorm2d(8)), d=lambda: Conv(nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.BatchNorm2d(8)), e=lambda: Conv(nn.Conv2d(8, 4, 1), nn.BatchNorm2d(4)))
pt2e("transposed", lambda n, x: n.a[1](F.relu(n.c(n.a[0](x)))), lambda: (torch.randn(1, 4, 4, 4),), c=lambda: Conv(nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1, output_padding=1)))
pt2e("uint8", lambda n, x: n.a[2](n.m(n.a[1](F.relu(n.l(n.a[0](x)))))), lambda: (torch.randn(3, 8),), act=lambda: Act(U8, 0, 255), l=lambda: Linear(8, 7), m=lambda: Linear(7, 5))
pt2e("int16", lambda n, x: n.a[1](n.l(n.a[0](x))), lambda: (torch.randn(3, 8),), act=lambda: Act(I16, -32767, 32767), l=lambda: Linear(8, 5))
pt2e("dynamic", lambda n, x: n.m(n.a[1](F.relu(n.l(n.a[0](x))))), lambda: (torch.randn(3, 8),), act=Dynamic, l=lambda: Linear(8, 16), m=lambda: Linear(16, 5))
pt2e("dynamic_batch", lambda n, x: n.m(n.a[1](F.relu(n.l(n.a[0](x))))), lambda: (torch.randn(5, 8),), BATCH, act=Dynamic, l=lambda: Linear(8, 16), m=lambda: Linear(16, 5))
pt2e("dynamic_symmetric", lambda n, x: n.l(n.a[0](x)), lambda: (torch.randn(3, 8),), act=lambda: Dynamic(True), l=lambda: Linear(8, 5))
pt2e("per_token", lambda n, x: n.m(n.a[1](F.silu(n.l(n.a[0](x))))), lambda: (torch.randn(2, 3, 16),), act=PerToken, l=lambda: Linear(16, 8, group=8), m=lambda: Linear(8, 6, group=4))
pt2e("per_token_batch", lambda n, x: n.l(n.a[0](x)), lambda: (torch.randn(4, 16),), BATCH, act=PerToken, l=lambda: Linear(16, 8, group=8))
pt2e("per_token_symmetric", lambda n, x: n.l(n.a[0](x)), lambda: (torch.randn(3, 16),), act=lambda: PerToken(True), l=lambda: Linear(16, 8))


def attend(n, x):
    x = n.a[0](x)
    heads = [n.a[1 + i](layer(x)).reshape(1, 5, 2, 4).transpose(1, 2) for i, layer in enumerate((n.q, n.k, n.v))]
    scores = n.a[4](heads[0] @ heads[1].transpose(-1, -2)) / 2
    weights = n.a[5](torch.softmax(scores, -1))
    return n.a[7](n.o(n.a[6]((weights @ heads[2]).transpose(1, 2).reshape(1, 5, 8))))


pt2e("attention", attend, lambda: (torch.randn(1, 5, 8),), q=lambda: Linear(8, 8), k=lambda: Linear(8, 8), v=lambda: Linear(8, 8), o=lambda: Linear(8, 8))


def embed(n, index):
    return n.a[1](n.l(n.a[0](F.embedding(index, n.e()).sum(1))))


pt2e("embedding", embed, lambda: (torch.randint(0, 12, (2, 4)),), e=lambda: Weight(nn.Embedding(12, 6).weight), l=lambda: Linear(6, 4))


def cell(n, x, h, c):
    gates = n.a[2](n.i(n.a[0](x))) + n.a[3](n.h(n.a[1](h)))
    i, f, g, o = n.a[4](gates).chunk(4, 1)
    c = n.a[5](n.a[6](torch.sigmoid(f) * c) + torch.sigmoid(i) * torch.tanh(g))
    return n.a[7](torch.sigmoid(o) * torch.tanh(c)), c


pt2e("lstm_cell", cell, lambda: (torch.randn(2, 5), torch.randn(2, 4), torch.randn(2, 4)), i=lambda: Linear(5, 16), h=lambda: Linear(4, 16))


class Reference(nn.Module):
    """`use_reference_representation`: integers of 16 bits, and sums in int32 by `out_dtype`."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.randint(-127, 128, (5, 8), dtype=I8))
        self.register_buffer("bias", torch.randint(-500, 500, (5,), dtype=torch.int32))

    def forward(self, x):
        x = Q.quantize_per_tensor(x, 0.03, 4, -128, 127, I8)
        x16, w16 = torch.clamp(x, -128, 127).to(I16), torch.clamp(self.weight, -127, 127).to(I16)
        total = torch.ops.higher_order.out_dtype(A.linear.default, torch.int32, x16 - 4, w16, None) + self.bias
        scaled = torch.ops.higher_order.out_dtype(A.mul.Tensor, torch.int32, total, 1) >> 4
        return Q.dequantize_per_tensor(torch.clamp(scaled - 3, -128, 127).to(I8), 0.1, -3, -128, 127, I8)


program("reference_linear")(lambda: (Reference().eval(), (torch.randn(3, 8),)))

# --------------------------------------------------------------------------
# The form of torch.ao.quantization.quantize_fx


def fx(name, make, inputs, mapping=None, qat=False):
    def build():
        model, given = make().eval(), inputs()
        chosen = mapping() if mapping else get_default_qconfig_mapping("x86")
        prepared = quantize_fx.prepare_fx(model, chosen, given)
        for _ in range(3):
            prepared(*inputs())
        return quantize_fx._convert_to_reference_decomposed_fx(prepared), given

    program(f"fx_{name}")(build)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.c, self.b, self.d = nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Conv2d(4, 4, 1)
        self.l = nn.Linear(4, 3)

    def forward(self, x):
        y = torch.relu(self.b(self.c(x)))
        y = torch.relu(self.d(y) + x)
        return self.l(F.max_pool2d(y, 2).mean([2, 3]))


class Cat(nn.Module):
    def __init__(self):
        super().__init__()
        self.c, self.d = nn.Conv2d(2, 3, 1), nn.Conv2d(2, 2, 3, padding=1)

    def forward(self, x):
        return F.adaptive_avg_pool2d(torch.cat([self.c(x), F.hardtanh(self.d(x))], 1), (2, 2)).flatten(1)


def images():
    return (torch.randn(1, 4, 6, 6),)


def uint4():
    activations = MinMaxObserver.with_args(dtype=torch.quint8, quant_min=0, quant_max=15)
    weights = PerChannelMinMaxObserver.with_args(dtype=torch.qint8, quant_min=-8, quant_max=7, qscheme=torch.per_channel_symmetric)
    return QConfigMapping().set_global(QConfig(activation=activations, weight=weights))


fx("block", Block, images)
fx("block_qnnpack", Block, images, lambda: get_default_qconfig_mapping("qnnpack"))
fx("cat", Cat, lambda: (torch.randn(1, 2, 4, 4),))
fx("mlp_dynamic", lambda: nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4)), lambda: (torch.randn(3, 6),), lambda: QConfigMapping().set_global(default_dynamic_qconfig))
fx("mlp_4bit", lambda: nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4)), lambda: (torch.randn(3, 6),), uint4)
fx("transposed", lambda: nn.Sequential(nn.ConvTranspose2d(2, 3, 2), nn.ReLU()), lambda: (torch.randn(1, 2, 3, 3),), lambda: get_default_qconfig_mapping("qnnpack"))
fx("conv1d", lambda: nn.Sequential(nn.Conv1d(3, 4, 3), nn.ReLU(), nn.Conv1d(4, 2, 1)), lambda: (torch.randn(2, 3, 7),))

# --------------------------------------------------------------------------
# torchao's operators, and products of packed weights


class Affine(nn.Module):
    """What torchao's int8 dynamic activations with 4-bit weights export to."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.randint(-8, 8, (6, 16), dtype=I8))
        self.register_buffer("scale", torch.rand(6, 2) / 8)
        self.register_buffer("zero_point", torch.zeros(6, 2, dtype=I8))
        self.register_buffer("table", torch.randint(-128, 128, (10, 16), dtype=I8))
        self.register_buffer("table_scale", torch.rand(10, 1) / 100)

    def forward(self, index):
        x = F.embedding(index, T.dequantize_affine(self.table, [1, 16], self.table_scale, None, I8))
        scale, zero = T.choose_qparams_affine(x, "ASYMMETRIC", [1, 1, 16], I8, None, None, 1.1920928955078125e-07, torch.float32, I8)
        x = T.dequantize_affine(T.quantize_affine(x, [1, 1, 16], scale, zero, I8), [1, 1, 16], scale, zero, I8)
        return F.linear(x, T.dequantize_affine(self.weight, [1, 8], self.scale, self.zero_point, I8, -8, 7))


class Bytes(nn.Module):
    """torchao's Int8Tensor: symmetric rows, and `_int_mm`."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.randint(-127, 128, (16, 8), dtype=I8))
        self.register_buffer("scale", torch.rand(8) / 100)

    def forward(self, x):
        scale, zero = T.choose_qparams_affine(x, "SYMMETRIC", [1, 16], I8, -127, 127, 1e-5, torch.float32, torch.int32)
        q = T.quantize_affine(x, [1, 16], scale, zero, I8, -127, 127)
        return A._int_mm(q, self.weight) * scale.unsqueeze(1) * self.scale


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("levels", torch.randint(0, 16, (96, 32), dtype=torch.int32))
        self.register_buffer("settings", torch.rand(1, 96, 2))
        self.register_buffer("small", A._convert_weight_to_int4pack_for_cpu(torch.randint(0, 16, (16, 96), dtype=torch.int32), 2))
        self.register_buffer("other", torch.rand(3, 16, 2))
        self.register_buffer("bytes", torch.randint(-127, 128, (8, 16), dtype=I8))

    def forward(self, x):
        y = A._weight_int4pack_mm_for_cpu(x, A._convert_weight_to_int4pack_for_cpu(self.levels, 2), 32, self.settings)
        return A._weight_int8pack_mm(A._weight_int4pack_mm_for_cpu(y, self.small, 32, self.other), self.bytes, self.settings[0, :8, 0].contiguous())


class FourBits(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("levels", torch.randint(0, 256, (6 * 32,), dtype=U8))
        self.register_buffer("scales", torch.rand(6 * 2) / 100)

    def forward(self, x):
        return A._dyn_quant_matmul_4bit(x, A._dyn_quant_pack_4bit_weight(self.levels, self.scales, None, 32, 64, 6), 32, 64, 6)


program("torchao_affine")(lambda: (Affine().eval(), (torch.randint(0, 10, (2, 3)),)))
program("torchao_bytes")(lambda: (Bytes().eval(), (torch.randn(4, 16),)))
program("packed")(lambda: (Packed().eval(), (torch.randn(2, 32),)))
program("four_bits")(lambda: (FourBits().eval(), (torch.randn(2, 64),)))

# --------------------------------------------------------------------------


class Recorder(torch.fx.Interpreter):
    """Keeps the values of nodes that quantize."""

    def __init__(self, module):
        super().__init__(module)
        self.found = {}

    def run_node(self, node):
        value = super().run_node(node)
        target = str(getattr(node.target, "__name__", "")) + str(node.target)
        if node.op == "call_function" and any(part in target for part in KEPT) and "dequantize" not in target:
            for i, one in enumerate(value if isinstance(value, tuple) else (value,)):
                self.found[f"{node.name}.{i}" if isinstance(value, tuple) else node.name] = one.detach().clone()
        return value


def save(path, tensors, metadata):
    header, parts, at = {"__metadata__": metadata}, [], 0
    for name, value in tensors.items():
        raw = value.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if value.numel() else b""
        header[name] = {"dtype": SAVED[value.dtype], "shape": list(value.shape), "data_offsets": [at, at + len(raw)]}
        parts.append(raw)
        at += len(raw)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(len(text).to_bytes(8, "little") + text + b"".join(parts))


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    size = int.from_bytes(data[:8], "little")
    dtypes = {name: dtype for dtype, name in SAVED.items()}
    header = json.loads(data[8 : 8 + size])
    del header["__metadata__"]
    found = {}
    for name, entry in header.items():
        first, last = (8 + size + at for at in entry["data_offsets"])
        flat = torch.frombuffer(bytearray(data[first:last]), dtype=dtypes[entry["dtype"]]) if last > first else torch.empty(0, dtype=dtypes[entry["dtype"]])
        found[name] = flat.reshape(entry["shape"])
    return found


def numbered(tensors, prefix):
    return [tensors[f"{prefix}/{i}"] for i in range(len(tensors)) if f"{prefix}/{i}" in tensors]


def check(folder, path):
    tensors, wrong, count = read(path), [], 0
    for name in PROGRAMS:
        for kind in ("", ".lowered"):
            count += 1
            ep = torch.export.load(os.path.join(folder, f"{name}{kind}.pt2"))
            with open(os.path.join(folder, f"{name}{kind}.txt"), encoding="utf-8") as f:
                if str(ep) != f.read():
                    wrong.append((name + kind, "text"))
            with torch.no_grad():
                out = ep.module()(*numbered(tensors, f"{name}/in"))
            for got, want in zip(out if isinstance(out, tuple) else (out,), numbered(tensors, f"{name}/out"), strict=True):
                if got.dtype != want.dtype or not torch.allclose(got.double(), want.double(), rtol=1e-5, atol=1e-6):
                    wrong.append((name + kind, "numbers"))
    print(f"{count} programs, {len(wrong)} problems", *wrong, sep="\n")


def record(tensors, name, module, given):
    """Adds the inputs of a call, and what it gives; returns how many nodes that quantize it has."""
    for i, one in enumerate(given):
        tensors[f"{name}/in/{i}"] = one
    recorder = Recorder(module)
    with torch.no_grad():
        out = module(*given)
        recorder.run(*given)
    for i, one in enumerate(out if isinstance(out, tuple) else (out,)):
        tensors[f"{name}/out/{i}"] = one.detach()
    for node, value in recorder.found.items():
        tensors[f"{name}/node/{node}"] = value
    return len(recorder.found)


def main():
    if sys.argv[1] == "--check":
        check(sys.argv[2], sys.argv[3])
        return
    tensors, texts = {}, {}
    torch.set_num_threads(1)
    for name, (make, dynamic) in PROGRAMS.items():
        torch.manual_seed(len(tensors))
        model, given = make()
        with torch.no_grad():
            ep = torch.export.export(model, given, dynamic_shapes=dynamic)
        for node in ep.graph.nodes:
            for key in ("stack_trace", "custom"):
                node.meta.pop(key, None)
        file = io.BytesIO()
        torch.export.save(ep, file)
        ep = torch.export.load(io.BytesIO(file.getvalue()))
        tensors[f"{name}/pt2"] = torch.frombuffer(bytearray(file.getvalue()), dtype=U8)
        count = record(tensors, name, ep.module(), given)
        if dynamic:
            record(tensors, f"{name}@batch", ep.module(), [torch.cat([one, one.flip(0) * 2, one[:1]]) for one in given])
        lowered = ep.run_decompositions()
        texts[name] = {"text": str(ep), "graph": str(ep.graph), "lowered": str(lowered), "loweredGraph": str(lowered.graph)}
        print(name, count, "recorded nodes,", len(ep.graph.nodes), "nodes,", len(file.getvalue()), "bytes")
    save(sys.argv[1], tensors, {"texts": json.dumps(texts, separators=(",", ":"))})
    print(len(PROGRAMS), "programs,", sum("/node/" in key for key in tensors), "recorded nodes")


if __name__ == "__main__":
    main()
