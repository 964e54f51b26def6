/** @file The `ops_` programs of `language_programs.py` in TypeScript. */
import { callOperator, float, nn, torch, tuple } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import type { CorpusModels } from "./harness.fixture.js";

const F = nn.functional;

class Reductions extends nn.Module {
  override forward(x: Tensor): unknown {
    return tuple(
      x.amax(1),
      x.amin([0, 1]),
      x.argmax(),
      x.argmin(1, { keepdim: true }),
      x.var(1),
      x.std({ unbiased: false }),
      x.prod(0),
      x.norm(),
      torch.linalg.vectorNorm(x, 1, { dim: 1 }),
      x.logsumexp(1),
      x.cumprod(1),
      tuple(...x.median(1)),
      tuple(...x.mode(1)),
      tuple(...x.topk(2, 1)),
      tuple(...x.sort(1, { descending: true })),
      tuple(...x.kthvalue(2, 1)),
      tuple(...torch.aminmax(x, { dim: 0 })),
      x.any(),
      x.all(1),
      tuple(...torch.varMean(x, 1)),
      x.countNonzero(),
      torch.unique(x.round().long().flatten(), { sorted: true }).at("0:1"),
    );
  }
}

class Indexing extends nn.Module {
  override forward(x: Tensor, i: Tensor, m: Tensor): unknown {
    const y = x.at(i);
    const z = x.at(":", i.at(":2"), ":");
    const w = x.at(i.at(":2"), ":", i.at(":2"));
    const v = x.at(m);
    const g = x.gather(0, i.view(3, 1, 1).expand(3, 3, 2));
    const t = x.take(i);
    const s = torch.scatter(x, 0, torch.zeros(1, 3, 2, { dtype: "int64" }), float(9));
    const a = x.indexAdd(0, i, torch.ones(3, 3, 2), { alpha: 2 });
    const sr = x.scatterReduce(0, torch.zeros(1, 3, 2, { dtype: "int64" }), torch.ones(1, 3, 2), "amax");
    return tuple(
      y,
      z,
      w,
      v,
      g,
      t,
      s,
      a,
      sr,
      tuple(...torch.where(m)),
      F.oneHot(i, 4),
      F.embedding(i, x.at(0)),
    );
  }
}

class Activations extends nn.Module {
  override forward(x: Tensor): unknown {
    return [
      F.relu6(x),
      F.elu(x),
      F.selu(x),
      F.celu(x),
      F.leakyRelu(x, 0.2),
      F.silu(x),
      F.mish(x),
      F.softplus(x),
      F.hardtanh(x),
      F.hardswish(x),
      F.hardsigmoid(x),
      F.logsigmoid(x),
      F.softsign(x),
      F.tanhshrink(x),
      F.softshrink(x),
      F.hardshrink(x),
      F.threshold(x, 0.1, 20),
      F.glu(x),
      F.gelu(x),
      F.softmin(x, 1),
      F.logSoftmax(x, 1),
      F.softmax(x, 0),
      F.normalize(x),
      F.cosineSimilarity(x, x.add(1)),
      F.prelu(x, torch.tensor([0.25])),
      F.rrelu(x, { training: false }),
    ];
  }
}

class Losses extends nn.Module {
  override forward(x: Tensor, t: Tensor, c: Tensor): unknown {
    return tuple(
      F.mseLoss(x, t),
      F.l1Loss(x, t, { reduction: "none" }),
      F.smoothL1Loss(x, t),
      F.huberLoss(x, t),
      F.crossEntropy(x, c),
      F.nllLoss(F.logSoftmax(x, 1), c),
      F.crossEntropy(x, c, { labelSmoothing: 0.1 }),
      F.binaryCrossEntropyWithLogits(x, torch.sigmoid(t)),
      F.klDiv(F.logSoftmax(x, 1), F.softmax(t, 1), { reduction: "batchmean" }),
      F.cosineEmbeddingLoss(x, t, torch.tensor([1, -1, 1])),
      F.tripletMarginLoss(x, t, t.add(1)),
      F.poissonNllLoss(x, t.abs()),
      F.binaryCrossEntropy(torch.sigmoid(x), torch.sigmoid(t)),
      F.marginRankingLoss(x.at(0), t.at(0), torch.ones(4)),
    );
  }
}

/** What `torch.nn.utils.parametrizations.weight_norm` makes of the weight of a linear map. */
class WeightNorm extends nn.Module {
  original0 = new nn.Parameter(torch.ones(2, 1));
  original1 = new nn.Parameter(torch.ones(2, 6));

  constructor() {
    super();
    // The parametrization itself, which PyTorch lists among the modules.
    this.addModule("0", new nn.Module());
  }

  override forward(): Tensor {
    return callOperator("aten._weight_norm.default", [this.original1, this.original0, 0]) as Tensor;
  }
}

class NormalizedLinear extends nn.Module {
  readonly bias = new nn.Parameter(torch.zeros(2));
  readonly parametrizations = new nn.ModuleDict({ weight: new WeightNorm() });

  override forward(x: Tensor): Tensor {
    return F.linear(x, this.parametrizations.get("weight")!(), this.bias);
  }
}

class Norms extends nn.Module {
  readonly ln = new nn.LayerNorm(6);
  readonly gn = new nn.GroupNorm(2, 4);
  readonly inorm = new nn.InstanceNorm1d(4, { affine: true });
  readonly bn = new nn.BatchNorm1d(4);
  readonly rms = new nn.RMSNorm(6);
  readonly lrn = new nn.LocalResponseNorm(2);
  readonly wn = new NormalizedLinear();

  override forward(x: Tensor): unknown {
    return tuple(
      this.ln(x),
      this.gn(x),
      this.inorm(x),
      this.bn(x),
      this.rms(x),
      this.lrn(x),
      this.wn(x),
      F.batchNorm(x, null, null, { training: true }),
    );
  }
}

class ConvKinds extends nn.Module {
  readonly c1 = new nn.Conv1d(2, 4, 3, { padding: "same", dilation: 2 });
  readonly c2 = new nn.Conv2d(2, 4, 3, { stride: 2, padding: 1, groups: 2 });
  readonly c3 = new nn.Conv3d(1, 2, 2);
  readonly t1 = new nn.ConvTranspose1d(4, 2, 3, { stride: 2, outputPadding: 1, padding: 1 });
  readonly t2 = new nn.ConvTranspose2d(4, 2, 2, { stride: 2, bias: false });
  readonly circ = new nn.Conv1d(2, 2, 3, { padding: 1, paddingMode: "circular" });

  override forward(a: Tensor, b: Tensor, c: Tensor): unknown {
    const x = this.c1(a);
    const y = this.c2(b);
    return tuple(x, y, this.c3(c), this.t1(x), this.t2(y), this.circ(a));
  }
}

class PoolsAndResizes extends nn.Module {
  override forward(x: Tensor): unknown {
    return tuple(
      F.maxPool2d(x, 3, 2, 1),
      tuple(...F.maxPool2d(x, 2, { ceilMode: true, returnIndices: true })),
      F.avgPool2d(x, 3, 2, 1, { countIncludePad: false }),
      F.adaptiveAvgPool2d(x, 1),
      F.adaptiveAvgPool2d(x, [3, 2]),
      F.adaptiveMaxPool2d(x, 2),
      F.lpPool2d(x, 2, 2),
      F.interpolate(x, { size: [5, 9], mode: "bilinear", alignCorners: false }),
      F.interpolate(x, { scaleFactor: 0.5, mode: "nearest" }),
      F.interpolate(x, { size: [3, 3], mode: "area" }),
      F.pixelShuffle(x, 2),
      F.pixelUnshuffle(x.at(":", ":", ":6", ":6"), 2),
      F.pad(x, [1, 2, 2, 1], { mode: "reflect" }),
      F.pad(x, [1, 1, 1, 1], { mode: "replicate" }),
      F.pad(x, [2, -1], { value: float(3) }),
      F.unfold(x, 2),
      F.avgPool1d(x.at(0), 2),
    );
  }
}

class MatrixKinds extends nn.Module {
  override forward(a: Tensor, b: Tensor, v: Tensor): unknown {
    return tuple(
      a.matmul(b),
      a.at(0).matmul(b.at(0)),
      a.matmul(v),
      torch.dot(v, v),
      torch.outer(v, v),
      torch.bmm(a, b),
      torch.baddbmm(a.matmul(b), a, b, { beta: 0.5, alpha: 2 }),
      torch.addmm(a.at(0).matmul(b.at(0)), a.at(0), b.at(0)),
      torch.einsum("bij,bjk->bik", a, b),
      torch.einsum("bij->bji", a),
      torch.kron(a.at(0), b.at(0)),
      torch.tensordot(a, b, { dims: [[2], [1]] }),
      torch.linalg.norm(a),
      F.bilinear(a.at(0), a.at(0), torch.ones(2, 4, 4)),
      torch.cdist(a, a),
      a.triu(1),
      torch.tril(a.at(0), -1),
      torch.trace(a.at(0).at(":", ":3")),
      torch.diag(v),
      torch.cross(v.at(":3"), v.at("1:4"), { dim: 0 }),
      torch.addmv(v.at(":3"), a.at(0), v),
      torch.linalg.multiDot([a.at(0), b.at(0), a.at(0)]),
      F.scaledDotProductAttention(a.at(null), a.at(null), a.at(null), { isCausal: true }),
    );
  }
}

class Elementwise extends nn.Module {
  override forward(x: Tensor, y: Tensor): unknown {
    const p = x.abs().add(0.1);
    return tuple(
      torch.atan2(x, y),
      torch.hypot(x, y),
      torch.fmod(x, 0.3),
      torch.remainder(x, y),
      torch.copysign(x, y),
      torch.logaddexp(x, y),
      torch.lerp(x, y, 0.3),
      torch.addcmul(x, y, y, { value: 0.5 }),
      torch.addcdiv(x, y, p),
      ...[p.log(), p.log2(), p.log1p(), p.rsqrt(), p.sqrt()],
      ...[x.exp2(), x.expm1(), x.erf(), x.erfc(), torch.special.erfinv(x.tanh())],
      ...[x.sinh(), x.cosh(), x.asinh(), x.tanh().atanh(), x.tan(), x.tanh().asin()],
      ...[x.tanh().acos(), x.atan(), x.floor(), x.ceil(), x.round(), x.round({ decimals: 1 })],
      ...[x.trunc(), x.frac(), x.sign(), x.sgn(), x.neg(), p.reciprocal()],
      ...[p.lgamma(), p.digamma(), x.square(), x.sigmoid(), p.logit(0.05), x.nanToNum()],
      torch.heaviside(x, y),
      x.clamp(y, y.add(1)),
      x.clampMin(0.1),
      ...[torch.isnan(x), torch.isinf(x), torch.isclose(x, y)],
      torch.logicalXor(x.gt(0), y.gt(0)),
      ...[x.eq(y), x.ne(0), torch.special.i0(x), torch.sinc(x)],
      ...[torch.xlogy(x, p), torch.deg2rad(x), x.floatPower(2), torch.rsub(x, y)],
      ...[torch.floorDivide(x, p), torch.signbit(x), torch.polygamma(1, p)],
    );
  }
}

class ComplexNumbers extends nn.Module {
  override forward(x: Tensor): unknown {
    const z = torch.fft.rfft(x);
    const c = torch.viewAsComplex(torch.stack([x.at("...", ":4"), x.at("...", "4:")], -1));
    return tuple(
      z.abs(),
      torch.fft.irfft(z, { n: 8 }),
      torch.viewAsReal(c.mul(c.conj())),
      c.real,
      c.angle(),
      torch.fft.fft2(x).imag,
      torch.polar(x.abs(), x),
    );
  }
}

/** Models of many operators. */
export const OPERATOR_MODELS: CorpusModels = {
  ops_reductions: () => ({ model: new Reductions() }),
  ops_indexing: () => ({ model: new Indexing() }),
  ops_activations: () => ({ model: new Activations() }),
  ops_losses: () => ({ model: new Losses() }),
  ops_norms: () => ({ model: new Norms().eval() }),
  ops_convolutions: () => ({ model: new ConvKinds() }),
  ops_pool_resize: () => ({ model: new PoolsAndResizes() }),
  ops_matrices: () => ({ model: new MatrixKinds() }),
  ops_elementwise: () => ({ model: new Elementwise() }),
  ops_complex: () => ({ model: new ComplexNumbers() }),
};
