/** @file The functional forms of `uniform_` and its kin, and what they refuse. */
import type { FakeTensor } from "@sconce/ir";
import { type DType, isComplexDType, isFloatDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { cppTypeName, scalarTypeName } from "../rules/dtype-names.js";
import { elementwise } from "../rules/elementwise.js";
import { largestFinite } from "../rules/limits.js";

/** What a fill is given; each has some of these. */
interface FillArgs {
  readonly self: FakeTensor;
  readonly from: number;
  readonly to: number;
  readonly std: number;
  readonly lambd: number;
  readonly sigma: number;
  readonly p: number;
}

/** Why a call is refused, in PyTorch's words (DistributionTemplates.h). */
type Check = (args: FillArgs) => string | undefined;

const checkUniform: Check = ({ self: { dtype }, from, to }) => {
  const most = largestFinite(dtype);
  const name = cppTypeName(dtype);
  if (Math.abs(from) > most) return `from is out of bounds for ${name}`;
  if (Math.abs(to) > most) return `to is out of bounds for ${name}`;
  if (from > to) return `uniform_ expects to return a [from, to) range, but found from=${from} > to=${to}`;
  if (to - from <= most) return undefined;
  const limit = "uniform_ expects to-from <= std::numeric_limits<";
  return `${limit}${scalarTypeName(dtype)}>::max(), but found to=${to} and from=${from} which result in to-from to exceed the limit`;
};

const checkNormal: Check = ({ std }) =>
  std >= 0 ? undefined : `normal expects std >= 0.0, but found std ${std}`;
const checkExponential: Check = ({ lambd }) =>
  lambd > 0 ? undefined : `exponential_ expects lambda > 0.0, but found lambda=${lambd}`;
const checkCauchy: Check = ({ sigma }) =>
  sigma > 0 ? undefined : `cauchy_ expects sigma > 0.0, but found sigma=${sigma}`;
const checkLogNormal: Check = ({ std }) =>
  std > 0 ? undefined : `log_normal_ expects std > 0.0, but found std=${std}`;
const checkGeometric: Check = ({ p }) =>
  p > 0 && p < 1 ? undefined : `geometric_ expects p to be in (0, 1), but got p=${p}`;
const anything: Check = () => undefined;

interface Fill {
  readonly name: string;
  readonly parameters: string;
  readonly check: Check;
  /** Returns the error message for an integer dtype; undefined if integers are accepted. */
  readonly integers?: (dtype: DType) => string;
}

const notImplemented =
  (kernel: string) =>
  (dtype: DType): string =>
    `"${kernel}" not implemented for '${scalarTypeName(dtype)}'`;

const continuous = (name: string, dtype: string): string =>
  `${name} distribution is a continuous probability distribution. dtype must be a floating point but you specified ${dtype}`;

const FILLS: readonly Fill[] = [
  {
    name: "uniform",
    parameters: "float from=0., float to=1.",
    check: checkUniform,
    integers: notImplemented("check_uniform_bounds"),
  },
  {
    name: "normal_functional",
    parameters: "float mean=0., float std=1.",
    check: checkNormal,
    integers: notImplemented("normal_kernel_cpu"),
  },
  {
    name: "exponential",
    parameters: "float lambd=1.",
    check: checkExponential,
    integers: (dtype) => continuous("Exponential", scalarTypeName(dtype)),
  },
  {
    name: "cauchy",
    parameters: "float median=0., float sigma=1.",
    check: checkCauchy,
    integers: (dtype) => continuous("Cauchy", cppTypeName(dtype)),
  },
  {
    name: "log_normal",
    parameters: "float mean=1., float std=2.",
    check: checkLogNormal,
    integers: notImplemented("log_normal_cpu"),
  },
  { name: "geometric", parameters: "float p", check: checkGeometric },
  { name: "random", parameters: "", check: anything },
  { name: "random.from", parameters: "int from, int? to", check: anything },
  { name: "random.to", parameters: "int to", check: anything },
];

type FillSchema =
  "aten::uniform(Tensor self, float from=0., float to=1., *, Generator? generator=None) -> Tensor";

export const fillOps: readonly OpDefinition[] = FILLS.map(({ name, parameters, check, integers }) =>
  defineOp({
    schema:
      `aten::${name}(Tensor self, ${parameters ? `${parameters}, ` : ""}*, Generator? generator=None) -> Tensor` as FillSchema,
    tags: ["nondeterministic_seeded"],
    meta: (args, context) => {
      const { dtype } = args.self;
      if (integers !== undefined && !isFloatDType(dtype) && !isComplexDType(dtype))
        throw dtypeMismatch(integers(dtype));
      const problem = check(args as unknown as FillArgs);
      if (problem !== undefined) throw invalidArgument(problem);
      return elementwise(context, [args.self], { dtype });
    },
  }),
);
