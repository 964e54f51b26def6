/** @file Tensor metadata and symbolic scalars, as a program file has them. */
import { isSconceError } from "@sconce/errors";
import type { Argument, DeviceLiteral, FakeTensor, SymScalar } from "@sconce/ir";
import { evaluate, freeSymbols, printExpr, type SymExpr, toSrepr } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import type { PythonJson } from "../../json/python-json.js";
import { JsonFloat } from "../../json/value.js";
import { LAYOUTS, SCALAR_TYPES } from "../schema.js";

export const jsonFloat = (value: number): JsonFloat => new JsonFloat(value);
export const deviceJson = ({ type, index }: DeviceLiteral): PythonJson => ({ type, index });
export const dtypeJson = (dtype: DType): number => SCALAR_TYPES[dtype];

type ScalarKind = "int" | "float" | "bool";
const KINDS: Readonly<Record<SymScalar["kind"], ScalarKind>> = {
  SymInt: "int",
  SymFloat: "float",
  SymBool: "bool",
};

/** Writes values of one program, with the example values of its symbols. */
export class ValueWriter {
  readonly #hints: ReadonlyMap<string, number>;
  /** Expressions by identity: those of neighbors are mostly the same. */
  readonly #known = new Map<SymExpr, { readonly text: string; readonly hint: number | undefined }>();

  constructor(hints: ReadonlyMap<string, number>) {
    this.#hints = hints;
  }

  /** A size, stride or offset. */
  readonly extent = (value: number | SymExpr): PythonJson =>
    typeof value === "number" ? { as_int: value } : this.#expression(value, "int");

  /** Returns the value of a symbolic scalar. */
  scalar({ kind, expr }: SymScalar): PythonJson {
    const name = KINDS[kind];
    if (typeof expr === "object") return this.#expression(expr, name);
    return { [`as_${name}`]: name === "float" ? jsonFloat(Number(expr)) : expr };
  }

  tensor(tensor: Omit<FakeTensor, "ndim" | "toString">): PythonJson {
    return {
      dtype: dtypeJson(tensor.dtype),
      sizes: tensor.shape.map(this.extent),
      requires_grad: tensor.requiresGrad,
      device: deviceJson(tensor.device),
      strides: tensor.strides.map(this.extent),
      storage_offset: this.extent(tensor.storageOffset),
      layout: LAYOUTS[tensor.layout],
    };
  }

  #expression(expr: SymExpr, kind: ScalarKind): PythonJson {
    let known = this.#known.get(expr);
    if (known === undefined) {
      known = { text: toSrepr(expr), hint: kind === "bool" ? undefined : this.#hint(expr, kind) };
      this.#known.set(expr, known);
    }
    const { text, hint } = known;
    // PyTorch writes the example values of integers and floats only.
    const value = hint === undefined ? null : { [`as_${kind}`]: kind === "float" ? jsonFloat(hint) : hint };
    return { as_expr: { expr_str: text, hint: value } };
  }

  /**
   * Returns the example value: given for the expression itself, or computed from those of its
   * symbols.
   */
  #hint(expr: SymExpr, kind: ScalarKind): number | undefined {
    const given = this.#hints.get(expr.op === "Symbol" ? expr.name : printExpr(expr));
    if (given !== undefined) return given;
    for (const symbol of freeSymbols(expr).keys()) if (!this.#hints.has(symbol)) return undefined;
    const value = exampleOf(expr, this.#hints);
    const isKind = kind === "float" ? typeof value === "number" : Number.isInteger(value);
    return isKind ? (value as number) : undefined;
  }
}

/** An expression may have no value for the example: a divisor may be zero. */
function exampleOf(expr: SymExpr, hints: ReadonlyMap<string, number>): number | boolean | undefined {
  try {
    return evaluate(expr, hints);
  } catch (error) {
    if (isSconceError(error)) return undefined;
    throw error;
  }
}

/**
 * Returns a constant as one of the members `as_none`, `as_bool`, `as_int`, ...; undefined for
 * others.
 */
export function constantJson(value: Argument): PythonJson | undefined {
  if (value === null) return { as_none: true };
  switch (typeof value) {
    case "boolean":
      return { as_bool: value };
    case "string":
      return { as_string: value };
    case "bigint":
      return { as_int: value };
    case "number":
      return Number.isInteger(value) ? { as_int: value } : { as_float: jsonFloat(value) };
    default:
      return "kind" in value && value.kind === "float" ? { as_float: jsonFloat(value.value) } : undefined;
  }
}
