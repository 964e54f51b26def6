"""Records what PyTorch's layers are: text, state, first values, and the calls that an export records.

    py packages/testing/oracle/layers.py packages/testing/fixtures/capture/layers.json.gz

Each case is the expression that makes a layer, and the inputs of a call: `f` a float tensor, `i` int64, `b` bool of
a shape, in lists for tuples. After `manual_seed(7)` the state has its first values, of which a few are kept.
"""

import gzip
import json
import re
import sys
import warnings

import torch
from torch import nn

warnings.filterwarnings("ignore")


def made(spec):
    if isinstance(spec, list):
        return tuple(made(one) for one in spec)
    kind, shape = spec[0], [int(size) for size in spec[1:].split("x") if size]
    if kind == "f":
        return torch.rand(shape)
    return torch.zeros(shape, dtype=torch.int64 if kind == "i" else torch.bool)


def digest(tensor):
    """The first, second and last value, and the sum, with four digits."""
    values = tensor.detach().flatten().double()
    return " ".join(f"{value:.3e}" for value in (values[0], values[min(1, len(values) - 1)], values[-1], values.sum()))


def body(program):
    """The lines of a program without types, comments and releases."""
    lines = []
    for line in str(program).split("\n"):
        if line.startswith("Graph signature"):
            break
        line = line.strip()
        if not line or line.startswith("#") or line.startswith("ExportedProgram") or line.startswith("class "):
            continue
        line = re.sub(r';  .*', "", re.sub(r': "[^"]*"', "", line)).replace("torch.ops.aten.", "")
        lines.append(line)
    return lines


def exported(layer, args, kwargs):
    try:
        return body(torch.export.export(layer, args, kwargs, strict=False))
    except Exception as error:
        return [f"{type(error).__name__}: " + str(error).split("\n")[0]]


def record(expression, inputs, keywords):
    torch.manual_seed(7)
    layer = eval(expression, {**vars(nn), "ones": torch.ones, "nn": nn})
    state = [[name, list(value.shape), digest(value)] for name, value in layer.state_dict().items()]
    args, kwargs = tuple(made(one) for one in inputs), {name: made(one) if isinstance(one, str) and one[1:2].isdigit() else one for name, one in keywords.items()}
    case = {"inputs": inputs, "keywords": keywords, "text": repr(layer), "state": state}
    if inputs:
        case["train"] = exported(layer.train(), args, kwargs)
        evaluated = exported(layer.eval(), args, kwargs)
        if evaluated != case["train"]:
            case["eval"] = evaluated
    return case


CASES = []


def case(*expressions, inputs=(), **keywords):
    for expression in expressions:
        CASES.append((expression, list(inputs), keywords))


# ---------------------------------------------------------------- linear maps and tables
case("Identity()", "Identity(54)", "Linear(3, 4)", "Linear(3, 4, False)", inputs=["f2x3"])
case("Bilinear(3, 5, 2)", "Bilinear(3, 5, 2, bias=False)", inputs=["f2x3", "f2x5"])
case("Embedding(10, 3)", "Embedding(10, 3, padding_idx=0)", "Embedding(10, 3, padding_idx=-1, sparse=True)", "Embedding(10, 4, scale_grad_by_freq=True)", inputs=["i2x4"])
case("EmbeddingBag(10, 3)", "EmbeddingBag(10, 3, mode='sum', padding_idx=2)", "EmbeddingBag(10, 3, mode='max')", inputs=["i2x4"])
case("EmbeddingBag(10, 3, mode='sum', include_last_offset=True)", inputs=["i4", "i2"])

# ---------------------------------------------------------------- convolutions
for n, size in ((1, "8"), (2, "8x8"), (3, "8x8x8")):
    x, y = [f"f2x4x{size}"], [f"f4x{size}"]
    case(f"Conv{n}d(4, 6, 3)", f"Conv{n}d(4, 6, 3, stride=2, padding=1)", f"Conv{n}d(4, 6, 3, padding='same', dilation=2)", f"Conv{n}d(4, 6, 3, padding='valid', groups=2, bias=False)", f"Conv{n}d(4, 4, 3, padding=1, padding_mode='circular')", f"Conv{n}d(4, 4, 3, padding=2, padding_mode='replicate')", inputs=x)
    case(f"Conv{n}d(4, 6, 1)", inputs=y)
    case(f"ConvTranspose{n}d(4, 6, 3)", f"ConvTranspose{n}d(4, 6, 3, stride=2, padding=1, output_padding=1)", f"ConvTranspose{n}d(4, 6, 3, groups=2, bias=False, dilation=2)", inputs=x)
case("Conv2d(4, 6, (3, 1), stride=(2, 1), padding=(1, 0))", "Conv2d(4, 4, 3, padding=1, padding_mode='reflect')", inputs=["f2x4x8x8"])
case("Unfold(3)", "Unfold((2, 3), dilation=1, padding=1, stride=2)", inputs=["f2x4x8x8"])
case("Fold((4, 5), (2, 3))", inputs=["f1x12x9"])

# ---------------------------------------------------------------- norms
for n, size in ((1, "8"), (2, "8x8"), (3, "4x4x4")):
    case(f"BatchNorm{n}d(4)", f"BatchNorm{n}d(4, affine=False)", f"BatchNorm{n}d(4, eps=0.001, momentum=0.2, track_running_stats=False)", inputs=[f"f2x4x{size}"])
    case(f"InstanceNorm{n}d(4)", f"InstanceNorm{n}d(4, affine=True, track_running_stats=True)", inputs=[f"f2x4x{size}"])
case("InstanceNorm1d(4)", inputs=["f4x8"])
case("BatchNorm1d(4)", inputs=["f2x4"])
case("LayerNorm(4)", "LayerNorm((3, 4), eps=0.001)", "LayerNorm(4, elementwise_affine=False)", "LayerNorm([3, 4], bias=False)", "RMSNorm(4)", "RMSNorm((3, 4), eps=0.01)", "RMSNorm(4, elementwise_affine=False)", inputs=["f2x3x4"])
case("GroupNorm(2, 4)", "GroupNorm(4, 4, affine=False)", "LocalResponseNorm(2)", "LocalResponseNorm(3, alpha=0.001, beta=0.5, k=1.5)", inputs=["f2x4x8"])

# ---------------------------------------------------------------- activations
for one in ("ReLU", "ReLU6", "SiLU", "Mish", "SELU", "Hardsigmoid", "Hardswish", "ELU", "CELU", "LeakyReLU", "Hardtanh", "RReLU"):
    case(f"{one}()", f"{one}(inplace=True)", inputs=["f2x4"])
for one in ("Sigmoid", "Tanh", "LogSigmoid", "Softsign", "Tanhshrink", "GELU", "GLU", "Softplus", "Softshrink", "Hardshrink", "PReLU"):
    case(f"{one}()", inputs=["f2x4"])
case("ELU(0.5)", "ELU(2)", "CELU(2)", "LeakyReLU(0.2)", "LeakyReLU(1)", "Hardtanh(-2, 2)", "Hardtanh(-0.5, 2, True)", "RReLU(0.1, 0.3)", "Threshold(0.1, 20)", "Threshold(0.1, 0.5, True)", inputs=["f2x4"])
case("GELU('tanh')", "GELU(approximate='none')", "GLU(0)", "Softplus(2)", "Softplus(0.5, threshold=10)", "Softshrink(0.3)", "Hardshrink(1)", "PReLU(4)", "PReLU(init=0.1)", inputs=["f2x4"])
case("Softmax(1)", "Softmax(dim=-1)", "Softmin(dim=0)", "LogSoftmax(dim=1)", "Softmax()", inputs=["f2x4"])
case("Softmax2d()", inputs=["f2x3x4x4"])

# ---------------------------------------------------------------- dropout, padding, pools
case("Dropout()", "Dropout(0.2, inplace=True)", "AlphaDropout(0.1)", inputs=["f2x4"])
case("FeatureAlphaDropout()", "Dropout1d(0.3)", inputs=["f2x3x4"])
case("Dropout1d()", inputs=["f3x4"])
case("Dropout2d()", inputs=["f2x3x4x4"])
case("Dropout3d(0.4)", inputs=["f2x3x4x4x4"])
for n, size, sides in ((1, "8", "(1, 2)"), (2, "8x8", "(1, 2, 0, 3)"), (3, "4x4x4", "(1, 2, 0, 3, 1, 1)")):
    x = [f"f2x4x{size}"]
    case(*(f"{kind}Pad{n}d({given})" for kind in ("Zero", "Reflection", "Replication", "Circular") for given in ("1", sides)), inputs=x)
    case(f"ConstantPad{n}d(1, 0.5)", f"ConstantPad{n}d({sides}, 3)", inputs=x)
    case(f"MaxPool{n}d(2)", f"MaxPool{n}d(3, stride=2, padding=1)", f"MaxPool{n}d(2, return_indices=True)", f"MaxPool{n}d(2, 1, 0, 2, ceil_mode=True)", inputs=x)
    case(f"AvgPool{n}d(2)", f"AvgPool{n}d(3, 2, 1, ceil_mode=True, count_include_pad=False)", inputs=x)
    case(f"AdaptiveAvgPool{n}d(2)", f"AdaptiveMaxPool{n}d(2)", f"AdaptiveMaxPool{n}d(1, return_indices=True)", inputs=x)
    case(f"LPPool{n}d(2, 2)", f"LPPool{n}d(1.5, 3, stride=1, ceil_mode=True)", inputs=x)
case("MaxPool2d((2, 3), stride=(2, 1))", "AvgPool2d((2, 3), stride=(2, 1))", "AvgPool2d(2, divisor_override=3)", "AdaptiveAvgPool2d((2, None))", "AdaptiveAvgPool2d((1, 1))", "AdaptiveMaxPool2d((2, 3))", inputs=["f2x4x8x8"])
case("MaxUnpool1d(2)", inputs=["f2x4x4", "i2x4x4"])
case("MaxUnpool2d(2)", "MaxUnpool2d(3, stride=2)", inputs=["f2x4x4x4", "i2x4x4x4"])
case("MaxUnpool3d(2, stride=2)", inputs=["f2x2x2x2x2", "i2x2x2x2x2"])
case("FractionalMaxPool2d(2, output_size=3)", "FractionalMaxPool2d((2, 3), output_ratio=(0.5, 0.4))", "FractionalMaxPool2d(2, output_size=(3, 4), return_indices=True)", inputs=["f2x4x8x8"])
case("FractionalMaxPool3d(2, output_size=3)", "FractionalMaxPool3d(2, output_ratio=0.5)", inputs=["f2x2x8x8x8"])

# ---------------------------------------------------------------- shapes and distances
case("Flatten()", "Flatten(0, 1)", "Flatten(start_dim=2)", "Unflatten(1, (2, 2))", inputs=["f2x4x3"])
case("PixelShuffle(2)", "PixelUnshuffle(2)", "ChannelShuffle(2)", "UpsamplingNearest2d(scale_factor=2)", "UpsamplingBilinear2d(size=(5, 6))", "Upsample(scale_factor=2)", "Upsample(size=(5, 6), mode='bilinear')", "Upsample(scale_factor=(2, 1.5), mode='bicubic', align_corners=True)", "Upsample(size=3, mode='nearest-exact')", "Upsample(size=3, mode='area')", inputs=["f2x4x4x4"])
case("Upsample(scale_factor=2, mode='linear')", "Upsample(size=7)", inputs=["f2x4x4"])
case("Upsample(scale_factor=2, mode='trilinear')", inputs=["f1x2x4x4x4"])
case("PairwiseDistance()", "PairwiseDistance(p=1, keepdim=True)", "CosineSimilarity()", "CosineSimilarity(dim=0, eps=0.001)", inputs=["f3x4", "f3x4"])

# ---------------------------------------------------------------- recurrent
for one in ("RNN", "LSTM", "GRU"):
    case(f"{one}(3, 4)", f"{one}(3, 4, 2)", f"{one}(3, 4, batch_first=True, bidirectional=True)", f"{one}(3, 4, num_layers=2, bias=False, dropout=0.5)", f"{one}(3, 4, num_layers=2, bidirectional=True)", inputs=["f5x2x3"])
    case(f"{one}(3, 4)", f"{one}(3, 4, batch_first=True)", inputs=["f5x3"])
case("RNN(3, 4, 1, 'relu')", "RNN(3, 4, nonlinearity='relu', bias=False)", "LSTM(3, 4, proj_size=2)", "LSTM(3, 4, num_layers=2, proj_size=3, bidirectional=True, bias=False)", inputs=["f5x2x3"])
case("RNN(3, 4)", "GRU(3, 4)", inputs=["f5x2x3", "f1x2x4"])
case("RNN(3, 4)", "GRU(3, 4)", inputs=["f5x3", "f1x4"])
case("LSTM(3, 4)", inputs=["f5x2x3", ["f1x2x4", "f1x2x4"]])
case("LSTM(3, 4, proj_size=2)", inputs=["f5x3", ["f1x2", "f1x4"]])
case("RNNCell(3, 4)", "RNNCell(3, 4, nonlinearity='relu')", "RNNCell(3, 4, bias=False)", "GRUCell(3, 4)", "GRUCell(3, 4, bias=False)", "LSTMCell(3, 4)", "LSTMCell(3, 4, bias=False)", inputs=["f2x3"])
case("RNNCell(3, 4)", "GRUCell(3, 4)", inputs=["f2x3", "f2x4"])
case("RNNCell(3, 4)", "GRUCell(3, 4)", inputs=["f3", "f4"])
case("LSTMCell(3, 4)", inputs=["f2x3", ["f2x4", "f2x4"]])
case("LSTMCell(3, 4)", inputs=["f3", ["f4", "f4"]])
case("LSTMCell(3, 4)", inputs=["f3"])

# ---------------------------------------------------------------- attention
MHA = "MultiheadAttention(8, 2)"
case(MHA, "MultiheadAttention(8, 2, dropout=0.1, bias=False)", "MultiheadAttention(8, 4, add_bias_kv=True, add_zero_attn=True)", "MultiheadAttention(8, 2, batch_first=True)", inputs=["f3x3x8", "f3x3x8", "f3x3x8"])
case("MultiheadAttention(8, 2, kdim=5, vdim=6)", "MultiheadAttention(8, 2, kdim=5, vdim=6, batch_first=True, bias=False)", inputs=["f3x2x8", "f3x2x5", "f3x2x6"])
case(MHA, inputs=["f3x8", "f4x8", "f4x8"])
case(MHA, "MultiheadAttention(8, 2, dropout=0.3, batch_first=True)", inputs=["f2x2x8", "f2x2x8", "f2x2x8"], need_weights=False)
case(MHA, inputs=["f3x2x8", "f4x2x8", "f4x2x8"], key_padding_mask="b2x4", attn_mask="f3x4", average_attn_weights=False)
case("MultiheadAttention(8, 2, add_bias_kv=True)", inputs=["f3x2x8", "f4x2x8", "f4x2x8"], key_padding_mask="b2x4", need_weights=False, attn_mask="b4x3x4")
case(MHA, inputs=["f3x2x8", "f3x2x8", "f3x2x8"], need_weights=False, attn_mask="b3x3", is_causal=True)
case(MHA, inputs=["f3x8", "f4x8", "f4x8"], key_padding_mask="b4", attn_mask="b3x4")
ENC = "TransformerEncoderLayer(8, 2, 16)"
case(ENC, "TransformerEncoderLayer(8, 2, 16, dropout=0.2, activation='gelu', batch_first=True, norm_first=True)", "TransformerEncoderLayer(8, 2, 16, bias=False, layer_norm_eps=0.001)", f"TransformerEncoder({ENC}, 2)", f"TransformerEncoder({ENC}, 2, LayerNorm(8))", inputs=["f2x2x8"])
case(ENC, inputs=["f2x2x8"], src_mask="b2x2", src_key_padding_mask="b2x2")
case(f"TransformerEncoder({ENC}, 1)", inputs=["f2x2x8"], mask="f2x2", is_causal=True)
case(f"TransformerEncoder({ENC}, 1)", inputs=["f2x8"], src_key_padding_mask="b2")
DEC = "TransformerDecoderLayer(8, 2, 16)"
case(DEC, "TransformerDecoderLayer(8, 2, 16, activation='gelu', batch_first=True, norm_first=True, bias=False)", f"TransformerDecoder({DEC}, 2)", f"TransformerDecoder({DEC}, 1, LayerNorm(8))", inputs=["f2x2x8", "f2x2x8"])
case(DEC, inputs=["f3x2x8", "f4x2x8"], tgt_mask="f3x3", memory_key_padding_mask="b2x4", tgt_is_causal=True)
case("Transformer(8, 2, 1, 1, 16)", "Transformer(8, 2, num_encoder_layers=1, num_decoder_layers=2, dim_feedforward=12, activation='gelu', batch_first=True, norm_first=True)", inputs=["f2x2x8", "f2x2x8"])

# ---------------------------------------------------------------- losses
for reduction in ("mean", "sum", "none"):
    given = "" if reduction == "mean" else f"reduction='{reduction}'"
    case(*(f"{one}({given})" for one in ("L1Loss", "MSELoss", "SmoothL1Loss", "HuberLoss", "KLDivLoss", "BCELoss", "BCEWithLogitsLoss", "SoftMarginLoss", "HingeEmbeddingLoss", "PoissonNLLLoss", "MultiLabelSoftMarginLoss")), inputs=["f3x4", "f3x4"])
    case(*(f"{one}({given})" for one in ("NLLLoss", "CrossEntropyLoss", "MultiMarginLoss")), inputs=["f3x4", "i3"])
    case(f"CosineEmbeddingLoss({given})", inputs=["f3x4", "f3x4", "f3"])
    case(f"MarginRankingLoss({given})", inputs=["f3", "f3", "f3"])
    case(*(f"{one}({given})" for one in ("TripletMarginLoss", "TripletMarginWithDistanceLoss")), inputs=["f3x4", "f3x4", "f3x4"])
    case(f"CTCLoss({given})", inputs=["f5x2x4", "i2x3", "i2", "i2"])
    case(f"GaussianNLLLoss({given})", inputs=["f3x4", "f3x4", "f3x4"])
    case(f"MultiLabelMarginLoss({given})", inputs=["f3x4", "i3x4"])
case("SmoothL1Loss(beta=0.5)", "SmoothL1Loss(beta=0)", "HuberLoss(delta=0.5)", "KLDivLoss(reduction='batchmean', log_target=True)", "PoissonNLLLoss(log_input=False, full=True, eps=0.001)", "HingeEmbeddingLoss(0.5)", "HingeEmbeddingLoss(2)", "BCELoss(ones(4))", "BCEWithLogitsLoss(pos_weight=ones(4))", "BCEWithLogitsLoss(weight=ones(4))", "MultiLabelSoftMarginLoss(ones(4))", inputs=["f3x4", "f3x4"])
case("NLLLoss(ones(4), ignore_index=1)", "CrossEntropyLoss(weight=ones(4), label_smoothing=0.1)", "MultiMarginLoss(p=2, margin=0.5)", "MultiMarginLoss(1, 2, ones(4))", "LinearCrossEntropyLoss(4, 5)", "LinearCrossEntropyLoss(4, 5, bias=True, label_smoothing=0.1, ignore_index=2)", inputs=["f3x4", "i3"])
case("CrossEntropyLoss()", inputs=["f3x4", "f3x4"])
case("NLLLoss()", inputs=["f3x4x5x5", "i3x5x5"])
case("CosineEmbeddingLoss(0.5)", inputs=["f3x4", "f3x4", "f3"])
case("MarginRankingLoss(margin=0.3)", inputs=["f3", "f3", "f3"])
case("TripletMarginLoss(0.5, 1.5, swap=True)", "TripletMarginLoss(margin=2, p=1)", "TripletMarginWithDistanceLoss(margin=0.5, swap=True)", inputs=["f3x4", "f3x4", "f3x4"])
case("CTCLoss(1, zero_infinity=True)", inputs=["f5x2x4", "i2x3", "i2", "i2"])
case("PoissonNLLLoss(full=True)", inputs=["f3x4", "f3x4"])

# ---------------------------------------------------------------- containers
case("Sequential(Linear(3, 4), ReLU(), Sequential(Linear(4, 4), Dropout(0.1)))", inputs=["f2x3"])
case("ModuleList([Linear(2, 2), Linear(2, 2), ReLU(), Linear(2, 3), ReLU(), ReLU()])", "ModuleList()", "ParameterList([ones(2, 3), ones(4)])", "ParameterList()", "Sequential()")

if __name__ == "__main__":
    recorded = []
    for expression, inputs, keywords in CASES:
        recorded.append({"layer": expression, **record(expression, inputs, keywords)})
    text = json.dumps(recorded, separators=(",", ":"))
    with open(sys.argv[1], "wb") as file:
        file.write(gzip.compress(text.encode(), mtime=0))
    print(len(recorded), "cases")
