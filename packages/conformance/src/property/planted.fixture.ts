/**
 * @file Every built-in rule's pattern, put behind a generated program: what random calls seldom
 * make. One entry for each rule; the outputs of the planted program are the results of the
 * patterns.
 */
import {
  type Argument,
  ExportedProgram,
  FakeTensor as Fake,
  type FakeTensor,
  float,
  LEAF,
  type MetaValue,
  memoryFormat,
  NO_KWARGS,
  type Node,
  type NodeRef,
  ref,
  tuple,
  tupleSpec,
} from "@sconce/ir";
import { defaultOperators, metaOf } from "@sconce/ops";
import { drawFrom } from "@sconce/passes";
import { STATIC_ENV } from "@sconce/symbolic";
import { type DType, dtypeInfo, numel, Tensor } from "@sconce/tensor";
import { graphOf } from "../graph-of.js";

type Arg = FakeTensor | Argument | readonly Arg[];

/** Random multiples of 1/4 in [-2, 2]; integers for dtypes of integers. */
function gridTensor(dtype: DType, shape: readonly number[], seed: number): Tensor {
  const draw = drawFrom(seed);
  const { kind } = dtypeInfo(dtype);
  const step = kind === "float" || kind === "complex" ? 4 : 1;
  const values = Array.from({ length: numel(shape) }, () => draw.integer(-2 * step, 2 * step) / step);
  return Tensor.from(values, shape, dtype);
}

/** Calls behind a program, and the weights that they read. */
class Planter {
  readonly calls: Node[] = [];
  readonly weights = new Map<string, { readonly fake: FakeTensor; readonly tensor: Tensor }>();
  readonly #refs = new Map<MetaValue, NodeRef>();
  readonly #operators = defaultOperators();

  know(name: string, val: FakeTensor): FakeTensor {
    this.#refs.set(val, ref(name));
    return val;
  }

  weight(shape: readonly number[], dtype: DType = "float32"): FakeTensor {
    const count = this.weights.size;
    const tensor = gridTensor(dtype, shape, 7919 * count + 1);
    const { strides } = tensor;
    const fake = new Fake({ dtype, shape, strides });
    this.weights.set(`planted.${count}`, { fake, tensor });
    return this.know(`b_planted_${count}`, fake);
  }

  all(
    target: string,
    args: readonly Arg[],
    kwargs: Readonly<Record<string, Argument>> = NO_KWARGS,
  ): MetaValue {
    const val = metaOf(this.#operators, target, args, kwargs, STATIC_ENV);
    // The rule may give an operand back: each node's value is a separate object.
    const own = val instanceof Fake ? new Fake(val) : val;
    this.#push(
      target,
      args.map((arg) => this.#argument(arg)),
      kwargs,
      own,
    );
    return own;
  }

  call(target: string, ...args: readonly Arg[]): FakeTensor {
    return this.all(`aten.${target}`, args) as FakeTensor;
  }

  item(target: string, args: readonly Arg[]): FakeTensor {
    const vals = this.all(target, args) as readonly FakeTensor[];
    const item = new Fake(vals[0]!);
    this.#push("operator.getitem", [this.#refs.get(vals)!, 0], NO_KWARGS, item);
    return item;
  }

  refOf(val: FakeTensor): NodeRef {
    return this.#refs.get(val)!;
  }

  #push(target: string, args: readonly Argument[], kwargs: Node["kwargs"], val: MetaValue): void {
    const name = `planted_${this.calls.length}`;
    this.calls.push({ name, op: "call_function", target, args, kwargs, meta: { val } });
    this.#refs.set(val, ref(name));
  }

  #argument(arg: Arg): Argument {
    if (arg instanceof Fake) return this.refOf(arg);
    return Array.isArray(arg)
      ? (arg as readonly Arg[]).map((item) => this.#argument(item))
      : (arg as Argument);
  }
}

/** Operands: floats, whole numbers and truth values of the program's sizes. */
interface Operands {
  readonly x: FakeTensor;
  readonly i: FakeTensor;
  readonly b: FakeTensor;
}

type Plant = (plant: Planter, operands: Operands) => FakeTensor;

const sizes = ({ shape }: FakeTensor): number[] => shape as number[];
const dimensions = ({ ndim }: FakeTensor): number[] => Array.from({ length: ndim }, (_, d) => d);
const twice =
  (target: string, operand: keyof Operands = "x"): Plant =>
  (p, operands) =>
    p.call(target, p.call(target, operands[operand]));

/** Returns a batch norm of `channels` behind a layer that is given floats of these sizes. */
const normed =
  (channels: number, shape: readonly number[], layer: (p: Planter, x: FakeTensor) => FakeTensor): Plant =>
  (p, { x }) => {
    const level = p.call("tanh.default", p.call("sum.default", x));
    const given = layer(p, p.call("add.Tensor", p.weight(shape), level));
    const [gamma, beta, mean] = [p.weight([channels]), p.weight([channels]), p.weight([channels])];
    const variance = p.weight([channels]);
    return p.item("aten._native_batch_norm_legit_no_training.default", [
      given,
      gamma,
      beta,
      mean,
      variance,
      0.125,
      float(64),
    ]);
  };

const conv = (n: number, name: string): Plant =>
  normed(2, [2, 3, ...Array<number>(n).fill(4)], (p, x) => {
    const weights = [p.weight([2, 3, ...Array<number>(n).fill(2)]), p.weight([2])];
    const [one, none] = [Array<number>(n).fill(1), Array<number>(n).fill(0)];
    return name === "convolution"
      ? p.call("convolution.default", x, ...weights, one, none, one, false, none, 1)
      : p.call(`${name}.default`, x, ...weights, one, none, one, 1);
  });

/** By name of the rule. */
export const EXACT: Readonly<Record<string, Plant>> = {
  "add-number-last": (p, { x }) => p.call("add.Tensor", 0.5, x),
  "mul-number-last": (p, { x }) => p.call("mul.Tensor", 0.5, x),
  "mul-1": (p, { x }) => p.call("mul.Tensor", x, 1),
  "div-1": (p, { x }) => p.call("div.Tensor", x, 1),
  "sub-0": (p, { x }) => p.call("sub.Tensor", x, 0),
  "add-negative-0": (p, { x }) => p.call("add.Tensor", x, float(-0)),
  "add-0-integer": (p, { i }) => p.call("add.Tensor", i, 0),
  "pow-1": (p, { x }) => p.call("pow.Tensor_Scalar", x, 1),
  "where-same": (p, { b, x }) => p.call("where.self", b, x, x),
  "maximum-same": (p, { x }) => p.call("maximum.default", x, x),
  "and-same": (p, { b }) => p.call("logical_and.default", b, b),
  "bitwise-same": (p, { i }) => p.call("bitwise_and.Tensor", i, i),
  "neg-twice": twice("neg.default"),
  "bitwise-not-twice": twice("bitwise_not.default", "i"),
  "logical-not-twice": twice("logical_not.default", "b"),
  "abs-twice": twice("abs.default"),
  "abs-neg": (p, { x }) => p.call("abs.default", p.call("neg.default", x)),
  "relu-twice": twice("relu.default"),
  "floor-twice": twice("floor.default"),
  "ceil-twice": twice("ceil.default"),
  "trunc-twice": twice("trunc.default"),
  "round-twice": twice("round.default"),
  "add-neg": (p, { x }) => p.call("add.Tensor", x, p.call("neg.default", x)),
  "sub-neg": (p, { x }) => p.call("sub.Tensor", x, p.call("neg.default", x)),
  "mul-neg-neg": (p, { x }) => p.call("mul.Tensor", p.call("neg.default", x), p.call("neg.default", x)),
  "div-power-of-two": (p, { x }) => p.call("div.Tensor", x, 4),
  "permute-nothing": (p, { x }) => p.call("permute.default", x, dimensions(x)),
  "permute-twice": (p, { x }) => {
    const turned = [...dimensions(x).slice(1), 0].slice(0, x.ndim);
    return p.call("permute.default", p.call("permute.default", x, turned), dimensions(x).reverse());
  },
  // Dimensions of size 1 can be added to any strides.
  "view-twice": (p, { x }) =>
    p.call("view.default", p.call("view.default", x, [1, ...sizes(x)]), [...sizes(x), 1]),
  "view-nothing": (p, { x }) => p.call("view.default", x, sizes(x)),
  "expand-nothing": (p, { x }) => p.call("expand.default", x, sizes(x)),
  "expand-twice": (p, { x }) =>
    p.call("expand.default", p.call("expand.default", x, [2, ...sizes(x)]), [3, 2, ...sizes(x)]),
  "slice-nothing": (p, { x }) => p.call("slice.Tensor", p.call("unsqueeze.default", x, 0), 0, 0),
  "squeeze-unsqueeze": (p, { x }) => p.call("squeeze.dim", p.call("unsqueeze.default", x, 0), 0),
  "clone-twice": (p, { x }) =>
    p.all("aten.clone.default", [p.call("clone.default", x)], {
      memory_format: memoryFormat("contiguous_format"),
    }) as FakeTensor,
};

/** Rules that round otherwise. */
export const ROUNDED: Readonly<Record<string, Plant>> = {
  "add-0": (p, { x }) => p.call("add.Tensor", x, 0),
  "mul-0": (p, { x }) => p.call("mul.Tensor", x, 0),
  "sub-same": (p, { x }) => p.call("sub.Tensor", x, x),
  "add-numbers": (p, { x }) => p.call("add.Tensor", p.call("add.Tensor", x, 0.3), 0.7),
  "mul-numbers": (p, { x }) => p.call("mul.Tensor", p.call("mul.Tensor", x, 0.3), 0.7),
  "div-number": (p, { x }) => p.call("div.Tensor", x, 3),
  "exp-log": (p, { x }) => p.call("exp.default", p.call("log.default", p.call("exp.default", x))),
  rsqrt: (p, { x }) => p.call("reciprocal.default", p.call("sqrt.default", p.call("exp.default", x))),
};

export const BATCH_NORMS: Readonly<Record<string, Plant>> = {
  "fold-batch-norm-convolution": conv(2, "convolution"),
  "fold-batch-norm-conv1d": conv(1, "conv1d"),
  "fold-batch-norm-conv2d": conv(2, "conv2d"),
  "fold-batch-norm-conv3d": conv(3, "conv3d"),
  "fold-batch-norm-addmm": normed(2, [4, 3], (p, x) =>
    p.call("addmm.default", p.weight([2]), x, p.weight([3, 2])),
  ),
  "fold-batch-norm-addmm-transposed": normed(2, [4, 3], (p, x) =>
    p.call("addmm.default", p.weight([2]), x, p.call("permute.default", p.weight([2, 3]), [1, 0])),
  ),
  "fold-batch-norm-mm": normed(2, [4, 3], (p, x) => p.call("mm.default", x, p.weight([3, 2]))),
  "fold-batch-norm-mm-transposed": normed(2, [4, 3], (p, x) =>
    p.call("mm.default", x, p.call("permute.default", p.weight([2, 3]), [1, 0])),
  ),
  "fold-batch-norm-linear": normed(2, [4, 3], (p, x) =>
    p.call("linear.default", x, p.weight([2, 3]), p.weight([2])),
  ),
};

/** Returns the program with the patterns behind one of its results, in place of its results. */
export function planted(program: ExportedProgram, plants: Readonly<Record<string, Plant>>): ExportedProgram {
  const p = new Planter();
  const source = program.graph
    .nodes()
    .findLast(({ op, meta }) => op !== "output" && meta.val instanceof Fake)!;
  const operands = operandsOf(p, p.know(source.name, source.meta.val as FakeTensor));
  const results = Object.values(plants).map((plant) => p.refOf(plant(p, operands())));
  return assembled(program, p, results);
}

/**
 * Separate operands of each pattern, since a rule may make one a result, and results may not come
 * to share memory.
 */
function operandsOf(p: Planter, val: FakeTensor): () => Operands {
  const wide = p.all("aten._to_copy.default", [val], {
    dtype: { kind: "dtype", dtype: "float32" },
  }) as FakeTensor;
  const whole = p.weight(sizes(val), "int64");
  return () => {
    // No input stands where a rule would make it a result.
    const x = p.call("tanh.default", wide);
    const i = p.call("add.Tensor", whole, whole);
    return { x, i, b: p.call("gt.Scalar", i, 0) };
  };
}

function assembled(program: ExportedProgram, p: Planter, results: readonly NodeRef[]): ExportedProgram {
  const { graph, graphSignature, moduleCallGraph } = program;
  const weights = [...p.weights].map(([target, { fake, tensor }], i) => ({
    name: `b_planted_${i}`,
    target,
    fake,
    tensor,
  }));
  const inputs = weights.map(
    ({ name, fake }): Node => ({
      name,
      op: "placeholder",
      target: name,
      args: [],
      kwargs: NO_KWARGS,
      meta: { val: fake },
    }),
  );
  const output: Node = { ...graph.outputNode(), args: [tuple(results)] };
  const [entry] = moduleCallGraph;
  const outputs = results.map(({ name }) => ({ kind: "tensor", name }) as const);
  return new ExportedProgram({
    ...program,
    graph: graphOf([...inputs, ...graph.nodes().slice(0, -1), ...p.calls, output]),
    graphSignature: {
      inputSpecs: [
        ...weights.map(
          ({ name, target }) =>
            ({ kind: "BUFFER", arg: { kind: "tensor", name }, target, persistent: true }) as const,
        ),
        ...graphSignature.inputSpecs,
      ],
      outputSpecs: outputs.map((arg) => ({ kind: "USER_OUTPUT", arg, target: null })),
    },
    stateDict: new Map([
      ...program.stateDict,
      ...weights.map(({ target, tensor }) => [target, tensor] as const),
    ]),
    moduleCallGraph: [
      { ...entry!, signature: { ...entry!.signature!, outSpec: tupleSpec(results.map(() => LEAF)) } },
    ],
  });
}
