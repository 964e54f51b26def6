/** @file Models beside their twins in Python, as `oracle/lowering_twins.py` records them. */
import {
  associativeScan,
  check,
  cond,
  type ExportOptions,
  enableGrad,
  exportProgram,
  library,
  map,
  nn,
  noGrad,
  pythonTuple,
  setGradEnabled,
  sym,
  torch,
  whileLoop,
} from "@sconce/capture";
import type { ExportedProgram } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";
import { fixtureJson } from "../fixtures.js";
import { SYMBOLS_OF_BODIES } from "./body-symbols.fixture.js";

/** What PyTorch makes of a model. */
export interface Twin {
  readonly program?: string;
  readonly lowered?: string;
  /** The lowered text after saving and loading, where it is another. */
  readonly loaded?: string;
  /** Calls of the lowered program, divided where the line of the source changes. */
  readonly groups?: readonly (readonly string[])[];
  readonly error?: string;
}

/** The recorded twins by the names of the models. */
export const TWINS = fixtureJson("capture/lowering-twins.json.gz") as Readonly<Record<string, Twin>>;

/** What every model has; its `forward` is a function. */
class State extends nn.Module {
  w = new nn.Parameter(torch.ones([3]));
  linear = new nn.Linear(2, 2);
}

type Forward = (self: State, ...inputs: Tensor[]) => unknown;

interface Model {
  readonly forward: Forward;
  readonly args: readonly Tensor[];
  readonly around?: (run: () => ExportedProgram) => ExportedProgram;
  readonly options?: ExportOptions;
}

const x3 = [torch.ones([3])];
const counted = [torch.tensor(3), torch.ones([2, 2])];

const mask = [torch.tensor([true, false, true])];
const x234 = [torch.ones([2, 3, 4])];
const x34 = [torch.ones([3, 4])];
const numbers = [torch.tensor([2, 3])];
const x7 = [torch.ones([7]), torch.tensor(true)];

const GRADIENTS: Readonly<Record<string, Forward>> = {
  write(self, x) {
    self.w.add_(1);
    return x!.mul(self.w);
  },
  regions(self, x) {
    const y = enableGrad(() => x!.mul(self.w));
    const z = noGrad(() => y.add(self.w));
    return z.mul(2);
  },
  set_twice(self, x) {
    const y = setGradEnabled(true, () => x!.mul(self.w));
    const z = setGradEnabled(false, () => y.add(self.w));
    return z.mul(2);
  },
  nested_regions(self, x) {
    const z = enableGrad(() => {
      const y = x!.mul(self.w);
      return noGrad(() => y.add(1)).mul(3);
    });
    return z.mul(2);
  },
  write_with_grad(self, x) {
    enableGrad(() => self.w.add_(1));
    return x!.mul(self.w);
  },
  branches: (self, x) =>
    cond(
      x!.sum().gt(0),
      (y: Tensor) => enableGrad(() => y.mul(self.w)),
      (y: Tensor) => noGrad(() => y.add(self.w)),
      [x!],
    ),
  write_through_view(self, x) {
    const y = x!.mul(self.w);
    y.add_(1);
    self.w.at(":2").mul_(2);
    return pythonTuple(y, self.w.detach());
  },
  rows: (self, x) => map((row: Tensor) => row.mul(self.w), x!.unsqueeze(0)),
  rounds: (self, it, x) =>
    pythonTuple(
      ...whileLoop(
        (i: Tensor) => i.gt(0),
        (i: Tensor, y: Tensor) => [i.sub(1), self.linear(y)],
        [it!, x!],
      ),
    ),
  rounds_with_grad: (self, it, x) => enableGrad(() => GRADIENTS["rounds"]!(self, it!, x!)),
};

const gradients = (name: string, more: Partial<Model>): Model => ({
  forward: GRADIENTS[name]!,
  args: name.startsWith("rounds") ? counted : x3,
  ...more,
});

const attention = nn.functional.scaledDotProductAttention;
const empty = (...shapes: readonly (readonly number[])[]): readonly Tensor[] =>
  shapes.map((shape) => torch.zeros(shape));
const ofOne: Forward = (_, q) => attention(q!, q!, q!);
const ofTwo: Forward = (_, q, k) => attention(q!, k!, k!);

const resized = (
  mode: string,
  from: readonly number[],
  size: number | readonly number[],
  alignCorners: boolean,
): Model => ({
  forward: (_, x) => nn.functional.interpolate(x!, { size, mode, alignCorners }),
  args: [torch.ones([1, 1, ...from])],
});

const RESIZED = {
  one: ["linear", [1], 7],
  "to one": ["linear", [7], 1],
  two: ["bilinear", [1, 4], [3, 1]],
  three: ["trilinear", [1, 2, 1], [2, 2, 1]],
  cubic: ["bicubic", [1, 3], [2, 1]],
} as const;

const fillAll = library.customOp(
  "twins::fill_all",
  { schema: "(Tensor x, Tensor(a!)[]? outs=None) -> Tensor", mutatesArgs: ["outs"] },
  (x: Tensor, outs: readonly Tensor[] | null) => {
    for (const [k, out] of (outs ?? []).entries()) out.copy_(x.add(k));
    return x.sum();
  },
);
const inc = library.customOp(
  "twins::inc_",
  { schema: "(Tensor(a!) x, int k) -> ()", mutatesArgs: ["x"] },
  (x: Tensor, k: number) => void x.add_(k),
);
fillAll.registerFake((x: Tensor) => x.newEmpty([]));

const lerped: Forward = (_, a, b, w) => torch.lerp(a!, b!, w!).sum(0).expand(2, 3, 4);

/** A session that knows the models' operators. */
export const session = createSconce({ plugins: [library.plugin("twins", [fillAll, inc])] });

const product = (a: Tensor, b: Tensor): Tensor => a.matmul(b);

/** Products of matrices in the function of a scan: the function, the sizes and the dimension. */
const SCANS: Readonly<
  Record<string, readonly [combine: (a: Tensor, b: Tensor) => Tensor, sizes: number[], dim: number]>
> = {
  "scan of products": [product, [5, 2, 2], 0],
  "scan of an even number of products": [product, [4, 2, 2], 0],
  "scan of products over a later dimension": [product, [2, 3, 2], 1],
  "scan of products of batches": [product, [4, 3, 2, 2], 0],
  "scan of products with a sum": [(a, b) => a.matmul(b).mul(0.5).add(a), [4, 2, 2], 0],
  "scan of products of what is transposed": [(a, b) => a.t().matmul(b), [4, 2, 2], 0],
  "scan of products as einsum": [(a, b) => torch.einsum("ij,jk->ik", a, b), [4, 2, 2], 0],
};

/** The models by their names. */
export const TWIN_MODELS: Readonly<Record<string, Model>> = {
  ...Object.fromEntries(
    Object.keys(GRADIENTS).map((name) => [`no_grad ${name}`, gradients(name, { around: noGrad })]),
  ),
  ...Object.fromEntries(
    ["write", "regions", "nested_regions", "branches"].map((name) => [
      `no_grad strict ${name}`,
      gradients(name, { around: noGrad, options: { strict: true } }),
    ]),
  ),
  "enable_grad in no_grad regions": gradients("regions", {
    around: (run) => noGrad(() => enableGrad(run)),
  }),
  "enable_grad in no_grad write": gradients("write", { around: (run) => noGrad(() => enableGrad(run)) }),
  "set_grad_enabled(False) write": gradients("write", { around: (run) => setGradEnabled(false, run) }),
  "attention without batches": { forward: ofOne, args: empty([0, 2, 4, 4]) },
  "attention without queries": { forward: ofTwo, args: empty([1, 2, 0, 4], [1, 2, 3, 4]) },
  "attention without keys": { forward: ofTwo, args: empty([1, 2, 3, 4], [1, 2, 0, 4]) },
  "attention without features": {
    forward: (_, q, v) => attention(q!, q!, v!),
    args: empty([1, 2, 3, 0], [1, 2, 3, 4]),
  },
  "attention of three dimensions": { forward: ofOne, args: empty([0, 4, 4]) },
  "attention of widths": {
    forward: (_, q, k, v) => attention(q!, k!, v!),
    args: empty([0, 2, 4, 4], [0, 2, 5, 4], [0, 2, 5, 6]),
  },
  "attention of halves": { forward: ofOne, args: [torch.zeros([0, 4], { dtype: "float16" })] },
  "attention with broadcast batches": { forward: ofTwo, args: empty([0, 2, 4, 4], [1, 2, 4, 4]) },
  "attention with dropout": {
    forward: (_, q) => attention(q!, q!, q!, { dropoutP: 0.5 }),
    args: empty([0, 2, 4, 4]),
  },
  ...Object.fromEntries(
    Object.entries(RESIZED).flatMap(([name, [mode, from, size]]) => [
      [`resize ${name} aligned`, resized(mode, from, size, true)],
      [`resize ${name} not aligned`, resized(mode, from, size, false)],
    ]),
  ),
  "list of results not given": { forward: (_, x) => fillAll(x!), args: x3 },
  "list of results given": {
    forward(_, x) {
      const y = x!.clone();
      return pythonTuple(fillAll(x!, [y, y]), y);
    },
    args: x3,
  },
  "a view written twice": {
    forward(_, x) {
      const v = x!.mul(2).at(":2");
      inc(v, 1);
      inc(v, 2);
      return v;
    },
    args: x34,
  },
  "a view read between writes": {
    forward(_, x) {
      const v = x!.mul(2).at(":2");
      inc(v, 1);
      const z = v.add(1);
      inc(v, 2);
      return pythonTuple(v, z);
    },
    args: x34,
  },
  "two views written": {
    forward(_, x) {
      const y = x!.mul(2);
      const [v, w] = [y.at(":2"), y.at("1:")];
      inc(v, 1);
      inc(w, 2);
      return pythonTuple(v, w);
    },
    args: x34,
  },
  "a view of a view written": {
    forward(_, x) {
      const v = x!.mul(2).at(":2");
      const w = v.at(":1");
      inc(v, 1);
      inc(w, 2);
      return pythonTuple(v, w);
    },
    args: x34,
  },
  "a view written in two ways": {
    forward(_, x) {
      const y = x!.mul(2);
      const v = y.at(":2");
      inc(v, 2);
      v.mul_(2);
      inc(v, 3);
      return v.add(y.at(":2"));
    },
    args: x34,
  },
  "a base written, then its view": {
    forward(_, x) {
      const y = x!.mul(2);
      const v = y.at(":2");
      inc(y, 2);
      inc(v, 3);
      return v;
    },
    args: x34,
  },
  "lines of a written view": {
    forward(_, x) {
      const y = x!.mul(2);
      const v = y.view(6, 4);
      v.relu_();
      return v.sin();
    },
    args: x234,
  },
  "lines of a view of what is written": {
    forward(_, x) {
      const y = x!.mul(2);
      const v = y.view(6, 4);
      y.relu_();
      return v.sin();
    },
    args: x234,
  },
  "lines of a view of a written view": {
    forward(_, x) {
      const y = x!.mul(2);
      const v = y.view(6, 4);
      const w = v.at("1:");
      v.relu_();
      const z = w.cos();
      return v.sin().at("1:").add(z);
    },
    args: x234,
  },
  "lines of views written alternately": {
    forward(_, x) {
      const y = x!.mul(2);
      const v = y.view(6, 4);
      const w = y.at(0);
      v.relu_();
      const a = w.sin();
      w.mul_(2);
      return pythonTuple(v.cos(), a, w);
    },
    args: x234,
  },
  "check a count": {
    forward(_, m) {
      const n = m!.sum().item();
      check(sym.gt(n, 0));
      return torch.arange(n);
    },
    args: mask,
  },
  "check a count from above": {
    forward(_, m) {
      const n = m!.sum().item();
      check(sym.le(n, 5));
      check(sym.ge(n, 0));
      return torch.zeros([n]);
    },
    args: mask,
  },
  "check indices": {
    forward(_, x) {
      check(sym.gt(x!.nonzero().size(0), 0));
      return x!.sin();
    },
    args: [torch.tensor([1, 0, 2], { dtype: "float32" })],
  },
  "check that a size differs": {
    forward(_, x) {
      const y = x!.at(x!.gt(0));
      check(sym.ne(y.size(0), 3));
      return y.sum();
    },
    args: [torch.ones([7])],
  },
  "check two numbers": {
    forward(_, x) {
      const [a, b] = [x!.at(0).item(), x!.at(1).item()];
      check(sym.ge(a, 0));
      check(sym.ge(b, 0));
      check(sym.gt(sym.add(a, b), 3));
      return x!.add(a).add(b);
    },
    args: numbers,
  },
  "check an order": {
    forward(_, x) {
      const [a, b] = [x!.at(0).item(), x!.at(1).item()];
      check(sym.lt(a, b));
      return x!.mul(a).sub(b);
    },
    args: numbers,
  },
  "sum of an operand of its own size": {
    forward: (_, a, p) =>
      cond(
        p!,
        (z: Tensor) => z.sum(),
        (z: Tensor) => z.max(),
        [a!.at(a!.gt(0))],
      ),
    args: x7,
  },
  "operand of a map of its own size": {
    forward: (_, a) => map((z: Tensor, w: Tensor) => z.add(w.sum()), a!.view(7, 1), a!.at(a!.gt(0))),
    args: x7,
  },
  "operand of nested branches of its own size": {
    forward(_, a, p) {
      const first = (z: Tensor): Tensor =>
        cond(
          p!,
          (y: Tensor) => y.sum(),
          (y: Tensor) => y.max(),
          [z],
        );
      return cond(p!, first, (z: Tensor) => z.max(), [a!.at(a!.gt(0))]);
    },
    args: x7,
  },
  "carried value of its own size": {
    forward: (_, it, a) =>
      pythonTuple(
        ...whileLoop(
          (i: Tensor, _z: Tensor) => i.lt(3),
          (i: Tensor, z: Tensor) => [i.add(1), z.mul(2)],
          [it!, a!.at(a!.gt(0))],
        ),
      ),
    args: [torch.tensor(0), torch.ones([7])],
  },
  "checked operand of branches": {
    forward(_, a, p) {
      const y = a!.at(a!.gt(0));
      check(sym.ne(y.size(0), 3));
      return cond(
        p!,
        (z: Tensor) => z.sum(),
        (z: Tensor) => z.max(),
        [y],
      );
    },
    args: x7,
  },
  ...SYMBOLS_OF_BODIES,
  ...Object.fromEntries(
    Object.entries({
      "lerp by a row": [...x234, torch.zeros([2, 3, 4]), torch.ones([4])],
      "lerp to a row": [...x234, torch.zeros([4]), torch.ones([4])],
      "lerp from a row": [torch.ones([4]), ...x234, torch.ones([2, 1, 1])],
      "lerp by a number": [...x234, torch.ones([4]), torch.tensor(0.25)],
      "lerp of one size": [...x234, torch.zeros([2, 3, 4]), x234[0]!.div(2)],
    }).map(([name, args]): [string, Model] => [name, { forward: lerped, args }]),
  ),
  ...Object.fromEntries(
    Object.entries(SCANS).map(([name, [combine, sizes, dim]]): [string, Model] => [
      name,
      {
        forward: (_, x) => associativeScan(combine, x!, { dim, combineMode: "generic" }),
        args: [torch.ones(sizes)],
      },
    ]),
  ),
  "list of results empty": { forward: (_, x) => fillAll(x!, []), args: x3 },
};

/** Returns the names of calls, divided where the comment on their source changes. */
export function groupsOf(program: ExportedProgram): string[][] {
  const groups: string[][] = [[]];
  for (const line of String(program).split("\n")) {
    const name = /^\s*(\w+): ".*torch\.ops/.exec(line)?.[1];
    if (/^\s*# File/.test(line)) groups.push([]);
    else if (name !== undefined) groups.at(-1)!.push(name);
  }
  return groups;
}

/** Exports a model as its twin is. */
export function exportTwin({ forward, args, around = (run) => run(), options }: Model): ExportedProgram {
  class Twin extends State {
    override forward(...args: Tensor[]): unknown {
      return forward(this, ...args);
    }
  }
  return around(() => exportProgram(new Twin(), [...args], options));
}
