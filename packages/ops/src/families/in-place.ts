/** @file In-place operators whose functional form has another name, so that the name does not tell it. */
import { type BoundArgs, defineOp, type OpDefinition } from "../define-op.js";
import { checkInPlace } from "../derive.js";
import { binaryPointwiseOps } from "./binary-pointwise.js";
import { randomOps } from "./random.js";

const rows = new Map([...binaryPointwiseOps, ...randomOps].map((row) => [row.target, row]));

type SelfSchema = "aten::zero_(Tensor(a!) self) -> Tensor(a!)";

/** An operator that writes what `functional` gives, which takes arguments of the same names, into `self`. */
function inPlace(schema: string, functional: string): OpDefinition {
  const base = rows.get(functional);
  const rule = base?.meta;
  const row = defineOp({
    schema: schema as SelfSchema,
    tags: (base?.tags ?? []).filter((tag) => tag !== "core"),
    meta: (args, context) => {
      if (rule !== undefined) checkInPlace(args.self, rule(args as BoundArgs, context), schema);
      return args.self;
    },
  });
  return Object.freeze({ ...row, functional });
}

const GENERATOR = "*, Generator? generator=None";

export const inPlaceOps: readonly OpDefinition[] = [
  inPlace(
    `aten::bernoulli_.float(Tensor(a!) self, float p=0.5, ${GENERATOR}) -> Tensor(a!)`,
    "aten.bernoulli.p",
  ),
  inPlace(
    `aten::normal_(Tensor(a!) self, float mean=0., float std=1., ${GENERATOR}) -> Tensor(a!)`,
    "aten.normal_functional.default",
  ),
  inPlace("aten::pow_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)", "aten.pow.Tensor_Tensor"),
  inPlace("aten::pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)", "aten.pow.Tensor_Scalar"),
  inPlace(
    "aten::floor_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
    "aten.floor_divide.default",
  ),
];
