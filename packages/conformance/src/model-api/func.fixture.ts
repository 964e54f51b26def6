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
};
