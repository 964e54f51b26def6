/** @file In-place operators whose functional form has another name, so that it cannot be derived from the schema. */
import { defineOp, type OpDefinition } from "../define-op.js";

/** Marks the functional operator that takes the same arguments. */
const writing = (row: OpDefinition, functional: string): OpDefinition => Object.freeze({ ...row, functional });

type SelfSchema = "aten::zero_(Tensor(a!) self) -> Tensor(a!)";
const inPlace = (schema: string, functional: string): OpDefinition =>
  writing(defineOp({ schema: schema as SelfSchema, meta: ({ self }) => self }), functional);

const GENERATOR = "*, Generator? generator=None";

export const inPlaceOps: readonly OpDefinition[] = [
  inPlace(`aten::bernoulli_.float(Tensor(a!) self, float p=0.5, ${GENERATOR}) -> Tensor(a!)`, "aten.bernoulli.p"),
  inPlace(`aten::normal_(Tensor(a!) self, float mean=0., float std=1., ${GENERATOR}) -> Tensor(a!)`, "aten.normal_functional.default"),
  inPlace("aten::pow_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)", "aten.pow.Tensor_Tensor"),
  inPlace("aten::pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)", "aten.pow.Tensor_Scalar"),
  inPlace("aten::floor_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.floor_divide.default"),
];
