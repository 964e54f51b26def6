import { Dim, float, nn, pythonTuple, slice, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { floats, type Twins, twin } from "../twins/twin.fixture.js";

const F = nn.functional;
const { vmap } = torch;
const { functionalCall, stackModuleState } = torch.func;
const batched = { dynamicShapes: { x: { 0: Dim("batch") } } };
const square = (): readonly unknown[] => [floats(4, 4)];

class PerExample extends nn.Module {
  readonly fc = new nn.Linear(4, 4);
  override forward(x: Tensor): Tensor {
    return vmap((row: Tensor) => this.fc(row).relu())(x);
  }
}

const network = (): nn.Sequential =>
  new nn.Sequential(new nn.Linear(4, 3), new nn.Tanh(), new nn.Linear(3, 2));

class Ensemble extends nn.Module {
  readonly base = network();
  readonly params: nn.ParameterDict;
  constructor() {
    super();
    const { parameters } = stackModuleState([network(), network(), network()]);
    const entries = Object.entries(parameters).map(
      ([name, value]) => [name.replace(".", "_"), value] as const,
    );
    this.params = new nn.ParameterDict(new Map(entries.toSorted()));
  }
  override forward(x: Tensor): Tensor {
    const named = Object.fromEntries(
      this.base.namedParameters().map(([name]) => [name, this.params.get(name.replace(".", "_")) ?? x]),
    );
    return vmap((state: Record<string, Tensor>) => functionalCall(this.base, state, [x]))(named);
  }
}

class Reused extends nn.Module {
  readonly fc = new nn.Linear(4, 4);
  override forward(x: Tensor): Tensor {
    return functionalCall(this.fc, { weight: x.mul(2), bias: x.at(0) }, [x]).add(this.fc(x));
  }
}

class ReusedTensor extends nn.Module {
  readonly fc = new nn.Linear(4, 4);
  override forward(x: Tensor): Tensor {
    return functionalCall(this.fc, [{ weight: x.mul(2) }, { bias: x.at(0) }], x);
  }
}

class TiedPair extends nn.Module {
  readonly a = new nn.Linear(4, 4, { bias: false });
  readonly b = new nn.Linear(4, 4, { bias: false });
  constructor() {
    super();
    this.b.weight = this.a.weight;
  }
  override forward(x: Tensor): Tensor {
    return this.b(this.a(x));
  }
}

class WithTies extends nn.Module {
  readonly tie: boolean;
  constructor(tie: boolean) {
    super();
    this.tie = tie;
  }
}

class ReusedTied extends WithTies {
  readonly pair = new TiedPair();
  override forward(x: Tensor): Tensor {
    return functionalCall(this.pair, { "a.weight": x.sin() }, x, null, { tieWeights: this.tie });
  }
}

class ReusedPart extends WithTies {
  readonly fc = new nn.Linear(4, 4);
  readonly norm = new nn.BatchNorm1d(4).eval();
  readonly pair = new TiedPair();
  override forward(x: Tensor): Tensor {
    const options = { tieWeights: this.tie };
    const normed = functionalCall(this.norm, { bias: x.at(0) }, x, null, options);
    return this.pair.b(functionalCall(this.fc, { bias: x.at(0) }, normed, null, options));
  }
}

/** Stacks the parameters of two layers in its forward. */
export class StackedInside extends nn.Module {
  readonly a = new nn.Linear(4, 4);
  readonly b = new nn.Linear(4, 4);
  override forward(x: Tensor): Tensor {
    const { parameters } = stackModuleState([this.a, this.b]);
    return parameters["weight"]!.sum(0).add(x);
  }
}

/** Functions of one row. */
const ROWS: Readonly<Record<string, (row: Tensor) => unknown>> = {
  argmax: (row) => row.argmax(),
  argmax_dim: (row) => row.argmax(0),
  argmin: (row) => row.argmin(),
  prod: (row) => row.prod(),
  prod_dim: (row) => row.prod(0),
  std: (row) => row.std(),
  std_dim: (row) => row.std(0, { correction: 0 }),
  var: (row) => row.var(),
  var_mean: (row) => torch.varMean(row),
  mean: (row) => row.mean(),
  mean_dim: (row) => row.mean(0, true),
  max: (row) => row.max(),
  max_dim: (row) => row.max(0),
  amax: (row) => row.amax(),
  any: (row) => row.gt(0).any(),
  all: (row) => row.gt(0).all(),
  norm: (row) => row.norm(),
  vector_norm: (row) => torch.linalg.vectorNorm(row),
  logsumexp: (row) => row.logsumexp(0),
  log_softmax: (row) => row.logSoftmax(0),
  count: (row) => row.countNonzero(),
  median: (row) => row.median(),
  sort: (row) => row.sort(),
  topk: (row) => row.topk(2),
  cumprod: (row) => row.cumprod(0),
  mse: (row) => F.mseLoss(row, row.mul(2)),
  smooth: (row) => F.smoothL1Loss(row, row.mul(2)),
  entropy: (row) => F.crossEntropy(row, torch.tensor(1)),
  entropy_soft: (row) => F.crossEntropy(row, row.softmax(0)),
  nll: (row) => F.nllLoss(row.logSoftmax(0), torch.tensor(1)),
  flip: (row) => row.flip(0),
  diag: (row) => torch.diag(row),
  cat: (row) => torch.cat([row, row]),
  stack: (row) => torch.stack([row, row]),
  gelu: (row) => F.gelu(row),
  clamp: (row) => row.clamp(0, 1),
  masked: (row) => row.maskedFill(row.gt(0), float(1)),
  one_hot: (row) => F.oneHot(row.argmax(0), 4),
};

const PLANE_NAMES =
  "argmax argmin prod std var_mean mean max amax any all norm vector_norm count median mse".split(" ");

/** Functions of one matrix. */
const PLANES: Readonly<Record<string, (plane: Tensor) => unknown>> = {
  ...Object.fromEntries(Object.entries(ROWS).filter(([name]) => PLANE_NAMES.includes(name))),
  sum_max: (plane) => plane.sum().max(),
  sum_prod: (plane) => plane.sum().prod(),
  sum_argmax: (plane) => plane.sum().argmax(),
  sum_mean: (plane) => plane.sum().mean(),
  sum_var: (plane) => plane.sum().var({ correction: 0 }),
  mse_sum: (plane) => F.mseLoss(plane, plane.mul(2), { reduction: "sum" }),
  mse_scalar: (plane) => F.mseLoss(plane.sum(), plane.mean()),
  any_dims: (plane) => torch.any(plane.gt(0), [0, 1]),
  nansum: (plane) => plane.nansum(),
  one_hot: (plane) => F.oneHot(plane.argmax(0), 2),
};

/** Functions of one row and what all rows share. */
const SHARED: Readonly<Record<string, (row: Tensor, x: Tensor) => unknown>> = {
  dot: (row, x) => torch.dot(row, x.at(0)),
  dot_first: (row, x) => torch.dot(x.at(0), row),
  mv_matrix: (row, x) => torch.outer(row, row).mv(x.at(0)),
  mm: (row, x) => torch.outer(row, row).mm(x),
  matmul: (row, x) => row.matmul(x),
  outer: (row, x) => torch.outer(row, x.at(0)),
  linear: (row, x) => F.linear(row, x),
  linear_bias: (row, x) => F.linear(row, x, x.at(0)),
  add: (row, x) => row.add(x),
  where: (row, x) => torch.where(x.gt(0), row, x),
  cat: (row, x) => torch.cat([row, x.at(0)]),
  take: (row, x) => x.at(row.argsort()),
  entropy: (row, x) => F.crossEntropy(x, row.argsort()),
  embedding: (row, x) => F.embedding(row.argsort(), x),
};

const renamed = <T>(prefix: string, all: Readonly<Record<string, T>>): [string, T][] =>
  Object.entries(all).map(([name, value]) => [`${prefix}_${name}`, value]);

const MAPPED: Readonly<Record<string, (x: Tensor) => unknown>> = {
  dots: (x) => vmap((a: Tensor, b: Tensor) => a.dot(b))(x, x),
  shared: (x) => vmap((a: Tensor, b: Tensor) => a.add(b).sum(), { inDims: [0, null] })(x, x),
  columns: (x) => vmap((a: Tensor) => a.cumsum(0), { inDims: -1 })(x),
  nested: (x) =>
    vmap((row: Tensor) =>
      vmap((element: Tensor) => torch.outer(row, row).mul(element).sum())(x.at(slice(), 0)),
    )(x),
  pair: (x) => vmap((row: Tensor) => pythonTuple(row.sum(), row.mul(2)))(x),
  dicts: (x) => vmap((both: { a: Tensor; b: Tensor }) => both.a.mul(both.b))({ a: x, b: x }),
  chosen: (x) => vmap((row: Tensor) => torch.where(row.gt(0), row, float(0)))(x),
  viewed: (x) => vmap((row: Tensor) => row.view(2, 2).t().reshape(-1))(x),
  rows: (x) => vmap((i: Tensor) => x.at(i))(torch.arange(4)),
  zeros: (x) => vmap((row: Tensor) => torch.zeros(row.size(0)).add(row))(x),
  unbatched: (x) => vmap((_: Tensor) => torch.ones(2))(x),
  constant: (x) => vmap((row: Tensor) => row.mul(torch.tensor([1.5, 2.5, 3.5, 4.5])))(x),
  twice: (x) => vmap((row: Tensor) => row.sin())(vmap((row: Tensor) => row.cos())(x)),
  attended: (x) =>
    vmap((q: Tensor, k: Tensor) => q.matmul(k.t()).softmax(-1))(x.view(2, 2, 4), x.view(2, 2, 4)),
  normed: (x) => vmap((row: Tensor) => F.layerNorm(row, [4]))(x),
  ...Object.fromEntries(
    renamed("plane", PLANES).map(([name, fn]) => [name, (x: Tensor) => vmap(fn)(x.view(2, 2, 4))]),
  ),
  ...Object.fromEntries(renamed("of", ROWS).map(([name, fn]) => [name, (x: Tensor) => vmap(fn)(x)])),
  ...Object.fromEntries(
    renamed("with", SHARED).map(([name, fn]) => [name, (x: Tensor) => vmap(fn, { inDims: [0, null] })(x, x)]),
  ),
  with_entropies: (x) => vmap((row: Tensor, t: Tensor) => F.crossEntropy(row, t))(x, torch.arange(4)),
  with_targets: (x) =>
    vmap((row: Tensor, t: Tensor) => F.crossEntropy(row.unsqueeze(0), t.unsqueeze(0)))(x, torch.arange(4)),
};

/** Models that call functions of one item for a batch, and modules with other state. */
export const FUNC: Twins = {
  ...Object.fromEntries(
    Object.entries(MAPPED).map(([name, fn]) => [`mapped_${name}`, twin(() => fn, square)]),
  ),
  mapped_dots_strict: twin(() => (x: Tensor) => vmap((a: Tensor, b: Tensor) => a.dot(b))(x, x), square, {
    strict: true,
  }),
  per_example: twin(() => new PerExample(), square),
  per_example_dynamic: twin(() => new PerExample(), square, batched),
  mapped_inner_dynamic: twin(
    () => (x: Tensor) => vmap((row: Tensor) => row.view(row.size(0), 1).sum())(x),
    square,
    { dynamicShapes: { x: { 1: Dim("n") } } },
  ),
  ensemble: twin(() => new Ensemble(), square),
  reused: twin(() => new Reused(), square),
  reused_tensor: twin(() => new ReusedTensor(), square),
  reused_tied: twin(() => new ReusedTied(true), square),
  reused_tied_strict: twin(() => new ReusedTied(true), square, { strict: true }),
  reused_untied: twin(() => new ReusedTied(false), square),
  reused_untied_strict: twin(() => new ReusedTied(false), square, { strict: true }),
  stacked_inside: twin(() => new StackedInside(), square),
  reused_strict: twin(() => new Reused(), square, { strict: true }),
  reused_part_tied_strict: twin(() => new ReusedPart(true), square, { strict: true }),
  reused_part_untied_strict: twin(() => new ReusedPart(false), square, { strict: true }),
};
