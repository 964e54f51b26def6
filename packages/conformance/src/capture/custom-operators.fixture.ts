/** @file The functions of `oracle/custom_operators.py` in TypeScript, with their operators. */
import {
  check,
  cond,
  Dim,
  type DynamicShapes,
  float,
  guard,
  library,
  map,
  nn,
  type Size,
  slice,
  sym,
  torch,
} from "@sconce/capture";
import { pythonTuple } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import type { CorpusModels } from "./harness.fixture.js";

const { customOp, getCtx } = library;

/** An operator of one tensor whose fake makes the sizes of the result. */
const ofOne = (name: string, fake: (x: Tensor) => Tensor, kernel: (x: Tensor) => Tensor) =>
  customOp(`o::${name}`, { schema: "(Tensor x) -> Tensor", mutatesArgs: [] }, kernel).registerFake(fake);

const newSize = (): Size => getCtx().newDynamicSize();

const multi = customOp(
  "o::multi",
  {
    schema:
      '(Tensor x, Tensor[] xs, SymInt n=3, str s="a", float? f=None, bool b=False, Tensor? y=None, SymInt[]? sizes=None, ScalarType dt=float32, Device? d=None, Scalar sc=2, *, SymInt k=5) -> (Tensor, Tensor)',
    mutatesArgs: [],
  },
  (x, xs, n) => [x.clone(), xs[0]!.mul(n)],
).registerFake((x, xs) => [torch.emptyLike(x), torch.emptyLike(xs[0]!)]);

const mut2 = customOp(
  "o::mut2",
  { schema: "(Tensor(a0!) x, Tensor z, Tensor(a2!) y, SymInt n) -> ()", mutatesArgs: ["x", "y"] },
  (x, z, y, n) => {
    x.add_(z);
    y.mul_(n);
  },
);

const mutret = customOp(
  "o::mutret",
  { schema: "(Tensor(a0!) x, SymInt n) -> Tensor", mutatesArgs: ["x"] },
  (x, n) => x.add_(n).mul(2),
).registerFake((x) => torch.emptyLike(x));

const ml = customOp(
  "o::ml",
  {
    args: { xs: "Tensor[]", o: "Tensor?=None", k: "float=1.0" },
    returns: "Tensor",
    mutatesArgs: ["xs", "o"],
  },
  (xs: readonly Tensor[], _o?: Tensor | null, _k?: number): Tensor => xs[0]!.clone(),
).registerFake((xs) => torch.emptyLike(xs[0]!));

const mutx = customOp(
  "o::mutx",
  { args: { x: "Tensor", y: "Tensor" }, returns: null, mutatesArgs: ["x"] },
  (x: Tensor, y: Tensor): void => {
    x.add_(y);
  },
);

const within = ofOne(
  "within",
  (x) => x.newEmpty([getCtx().newDynamicSize({ min: 2, max: 10 }), 3]),
  () => torch.ones(4, 3),
);
const exactly = ofOne(
  "exactly",
  (x) => x.newEmpty([getCtx().newDynamicSize({ min: 4, max: 4 })]),
  () => torch.ones(4),
);
const twice = ofOne(
  "twice",
  (x) => {
    const n = newSize();
    return x.newEmpty([n, sym.mul(n, 2)]);
  },
  () => torch.ones(2, 4),
);
const even = ofOne(
  "even",
  (x) => x.newEmpty([sym.mul(newSize(), 2)]),
  () => torch.ones(4),
);
const strided = ofOne(
  "strided",
  (x) => x.newEmpty([4]).asStrided([2, 2], [newSize() as number, 1]),
  () => torch.ones(2, 2),
);
const more = ofOne(
  "more",
  (x) => x.newEmpty([sym.add(newSize(), 1)]),
  (x) => x.clone(),
);
const negative = ofOne(
  "negative",
  (x) => x.newEmpty([getCtx().newDynamicSize({ min: -1 })]),
  (x) => x.clone(),
);
const ordered = ofOne(
  "ordered",
  (x) => {
    const n = newSize();
    const m = newSize();
    check(sym.le(n, m));
    return x.newEmpty([m, n]);
  },
  () => torch.ones(3, 2),
);
const branch = ofOne(
  "branch",
  (x) => (guard(sym.gt(x.size(0), 2)) ? x.newEmpty([4]) : x.newEmpty([5])),
  (x) => x.newZeros(4),
);
const s = ofOne(
  "s",
  (x) => torch.emptyLike(x),
  (x) => x.sin(),
);
const unfaked = customOp("o::unfaked", { schema: "(Tensor x) -> Tensor", mutatesArgs: [] }, (x) => x.clone());

const two = customOp("o::two", { schema: "(Tensor x) -> (Tensor, Tensor)", mutatesArgs: [] }, () => [
  torch.ones(3),
  torch.ones(2, 3),
]).registerFake((x) => {
  const n = newSize();
  const m = newSize();
  return [x.newEmpty([m]), x.newEmpty([n, m])];
});

const lst = customOp("o::lst", { schema: "(Tensor x, SymInt n) -> Tensor[]", mutatesArgs: [] }, (x, n) =>
  Array.from({ length: n }, () => x.clone()),
).registerFake((x, n) => Array.from({ length: n as number }, () => torch.emptyLike(x)));

const num = customOp("o::num", { schema: "(Tensor x) -> SymInt", mutatesArgs: [] }, () => 3).registerFake(
  newSize,
);

const numi = customOp(
  "o::numi",
  { schema: "(Tensor x, SymInt n) -> (Tensor, SymInt)", mutatesArgs: [] },
  (x, n) => [x.clone(), n * 2],
).registerFake((x, n) => [torch.emptyLike(x), sym.mul(n, 2)]);

const flo = customOp("o::flo", { schema: "(Tensor x) -> float", mutatesArgs: [] }, () => 2.5).registerFake(
  () => 2.5,
);

const pad = customOp(
  "o::pad",
  { schema: "(Tensor x, SymInt n, SymInt[] m) -> Tensor", mutatesArgs: [] },
  (x, n) => torch.cat([x, x.newZeros(n)]),
).registerFake((x, n) => x.newEmpty([sym.add(x.size(0), n)]));

const alike = customOp("o::alike", { schema: "(Tensor x, Tensor y) -> Tensor", mutatesArgs: [] }, (x) =>
  x.clone(),
).registerFake((x, y) => {
  check(sym.eq(x.size(0), y.size(0)));
  return torch.emptyLike(x);
});

/** The operators that have a fake. */
export const OPERATORS = [
  ...[multi, mut2, mutret, ml, mutx, within, exactly, twice, even, strided, ordered, branch, s],
  ...[two, lst, num, numi, flo, pad, alike],
];

/** A function, its arguments, and which sizes are dynamic. */
type OperatorCase = readonly [
  model: (x: Tensor, y: Tensor) => unknown,
  args: readonly Tensor[],
  dynamicShapes?: DynamicShapes,
];

const x3 = torch.ones(3);
const y3 = torch.ones(3);
const x22 = torch.ones(2, 2);
const N = { 0: Dim("n") };
const AUTO = { 0: Dim.AUTO };

const tail = (x: Tensor): Tensor => x.at(slice(1, null));

/** Functions by the names of their cases. */
export const CASES: Readonly<Record<string, OperatorCase>> = {
  "arguments of every type": [
    (x) => {
      const [a, b] = multi(x, [x, x], 4, "a", 2);
      const [c, d] = multi(x, [x], 3, "a", null, false, x, null, "float32", null, 2, { k: 6 });
      const device = { kind: "device", type: "cpu", index: null } as const;
      const sizes = [x.size(0), 2];
      const [e, f] = multi(x, [x, x], 3, "a", null, true, null, sizes, "int64", device, float(2));
      return [a.add(b), c.add(d), e.mul(f)];
    },
    [torch.ones(3, 3)],
    [N],
  ],
  "two mutated arguments": [
    (x, y) => {
      const c = y.clone();
      mut2(x, y, c, 3);
      mut2(x, y, c.at(slice()), y.size(0));
      return c.add(x);
    },
    [x3, y3],
    [N, N],
  ],
  "a mutated view and a result": [(x) => [mutret(tail(x), 3).add(1), x], [x3]],
  "a mutated list and an optional tensor": [
    (x, y) => {
      const a = x.clone();
      const b = y.add(1);
      const r = ml([a, tail(b)]);
      const q = ml([a], y, 2);
      return [r.add(q), a, b];
    },
    [x3, y3],
  ],
  "views of inputs": [
    (x, y) => {
      mutx(x.at(0), y.at(1));
      mutx(x.t(), y);
      return x;
    },
    [x22, torch.ones(2, 2)],
  ],
  "a new size with bounds": [(x) => within(x).sum(0), [x3]],
  "a new size with equal bounds": [(x) => exactly(x).add(1), [x3]],
  "a new size and twice of it": [(x) => twice(x).add(1), [x3]],
  "twice a new size": [(x) => even(x).add(1), [x3]],
  "a new size as a stride": [(x) => strided(x).add(1), [x3]],
  "two new sizes in the order of the results": [
    (x) => {
      const [a, b] = two(x);
      return [a.mul(2), b.size(0), b];
    },
    [x3],
  ],
  "a check in a fake": [(x) => ordered(x).add(1), [x3]],
  "a list of tensors": [
    (x) => {
      const [a, b, c] = lst(x, 3) as [Tensor, Tensor, Tensor];
      return a.add(b).add(c);
    },
    [x3],
    [N],
  ],
  "an integer that the data decide": [(x) => [num(x), x.newZeros(num(x))], [x3]],
  "an integer of a static size": [addedInteger, [x3]],
  "an integer of a size": [addedInteger, [x3], [N]],
  "a float": [(x) => x.add(flo(x)), [x3]],
  "sizes as arguments": [(x) => pad(x, sym.mul(x.size(0), 2), [x.size(0), 1]), [x3], [N]],
  "an item as an argument": [(x, y) => pad(x, y.item() as Size, [1]), [x3, torch.tensor(3)]],
  "unused results": [
    (x) => {
      s(x);
      return s(x).add(s(x));
    },
    [x3],
  ],
  "within cond": [
    (x) =>
      cond(
        x.sum().gt(0),
        (own: Tensor) => s(own).add(1),
        (own: Tensor) => own.mul(2),
        [x],
      ),
    [x3],
    [N],
  ],
  "a mutation within cond": [
    (x) =>
      cond(
        x.sum().gt(0),
        (own: Tensor) => {
          const z = own.clone();
          mutx(z, own);
          return z.sin();
        },
        (own: Tensor) => own.mul(2),
        [x],
      ),
    [x3],
  ],
  "within map": [(x, y) => map((a: Tensor, b: Tensor) => s(a).add(b), x, y), [torch.ones(2, 3), x3]],
  "a guard in a fake": [(x) => branch(x), [x3], [AUTO]],
  "a guard in a fake that a size breaks": [(x) => branch(x), [x3], [N]],
  "equal sizes in a fake": [(x, y) => alike(x, y), [x3, y3], [AUTO, AUTO]],
  "without a fake": [(x) => unfaked(x), [x3]],
  "a new size that no result gives": [(x) => more(x), [x3]],
  "a negative bound": [(x) => negative(x), [x3]],
  "a write to an operand of cond": [
    (x) =>
      cond(
        x.sum().gt(0),
        (own: Tensor) => {
          mutx(own, own);
          return own.sin();
        },
        (own: Tensor) => own.mul(2),
        [x],
      ),
    [x3],
  ],
};

function addedInteger(x: Tensor): Tensor {
  const [y, n] = numi(x, x.size(0));
  return y.add(n);
}

const mylibSin = customOp(
  "mylib::sin",
  { schema: "(Tensor x) -> Tensor", mutatesArgs: [], doc: "Element-wise sine." },
  (x) => x.sin(),
).registerFake((x) => torch.emptyLike(x));

const customNonzero = customOp(
  "mylib::custom_nonzero",
  { schema: "(Tensor x) -> Tensor", mutatesArgs: [], doc: "Like aten::nonzero." },
  (x) => x.nonzero(),
).registerFake((x) => x.newEmpty([getCtx().newDynamicSize(), x.ndim], { dtype: "int64" }));

/** The operators of the corpus. */
export const MYLIB = [mylibSin, customNonzero];

class CustomSin extends nn.Module {
  override forward(x: Tensor): Tensor {
    return mylibSin(x).add(mylibSin(x.mul(2)));
  }
}

class CustomNonzero extends nn.Module {
  override forward(x: Tensor): unknown {
    const nz = customNonzero(x);
    return pythonTuple(nz.add(1), nz.size(0));
  }
}

/** Models of the corpus with custom operators. */
export const CUSTOM_MODELS: CorpusModels = {
  pm_custom_op: () => ({ model: new CustomSin() }),
  pm_custom_nonzero: () => ({ model: new CustomNonzero() }),
};
