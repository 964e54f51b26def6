/** @file Reductions in WGSL: what is kept while elements are taken one by one. */
import type { ReduceScalar, Scalar } from "@sconce/codegen";
import { callText } from "./wgsl-functions.js";
import { intLiteral, type WgslModule, type WgslType, wgslType } from "./wgsl-text.js";

/** Writes the statements of one shader. */
interface FoldEmitter {
  readonly module: WgslModule;
  /** Returns an unused name that starts with the prefix. */
  name(prefix: string): string;
  /** Adds a statement. */
  line(text: string): void;
  /** Returns the expression of a scalar. */
  scalar(scalar: Scalar): string;
}

/** The statements of a reduction. */
export interface FoldText {
  /** Takes one element; `place` is its row-major place among all. */
  take(value: string, place: () => string): void;
  result(): string;
}

export function foldText(emitter: FoldEmitter, scalar: ReduceScalar): FoldText {
  const isPlace = scalar.reduce === "argmax" || scalar.reduce === "argmin";
  return isPlace ? placeFold(emitter, scalar) : plainFold(emitter, scalar);
}

/** What a fold starts from where nothing else is given. */
function identityText(emitter: FoldEmitter, { reduce, dtype }: ReduceScalar): string {
  const type = wgslType(dtype)!;
  switch (reduce) {
    case "any":
    case "all":
      return String(reduce === "all");
    case "sum":
    case "prod": {
      const unit = reduce === "sum" ? 0 : 1;
      return type === "f32" ? `${unit}.0f` : type === "i32" ? `${unit}i` : String(unit === 1);
    }
    default:
      return extremeText(emitter, reduce === "max", type);
  }
}
function extremeText(emitter: FoldEmitter, isMax: boolean, type: WgslType): string {
  if (type === "bool") return String(!isMax);
  if (type === "i32") return intLiteral(isMax ? -(2 ** 31) : 2 ** 31 - 1);
  return emitter.module.float(isMax ? -Infinity : Infinity);
}

/** Two values become one. */
export function combineText(
  emitter: FoldEmitter,
  { reduce, body, dtype }: ReduceScalar,
  a: string,
  b: string,
): string {
  switch (reduce) {
    case "sum":
    case "prod":
      return callText(emitter.module, reduce === "sum" ? "add" : "mul", body.dtype, dtype, [a, b]);
    case "any":
    case "all":
      return `(${a} ${reduce === "any" ? "||" : "&&"} ${b})`;
    case "max":
    case "min":
      return callText(emitter.module, reduce, body.dtype, dtype, [a, b]);
    default:
      return b;
  }
}

function plainFold(emitter: FoldEmitter, scalar: ReduceScalar): FoldText {
  const { initial } = scalar;
  const start = initial === undefined ? identityText(emitter, scalar) : emitter.scalar(initial);
  const name = emitter.name("acc");
  emitter.line(`var ${name}: ${wgslType(scalar.dtype)!} = ${start};`);
  return {
    take: (value) => emitter.line(`${name} = ${combineText(emitter, scalar, name, value)};`),
    result: () => name,
  };
}

/** The place of the extreme: the first of equals, NaN before all. */
function placeFold(emitter: FoldEmitter, { reduce, body }: ReduceScalar): FoldText {
  const isMax = reduce === "argmax";
  const type = wgslType(body.dtype)!;
  const [best, at, any] = ["best", "at", "any"].map((prefix) => emitter.name(prefix)) as [
    string,
    string,
    string,
  ];
  emitter.line(`var ${best}: ${type};`);
  emitter.line(`var ${at} = 0i;`);
  emitter.line(`var ${any} = false;`);
  const isNan = (x: string): string => emitter.module.call("f_isnan", x);
  return {
    take: (value, place) => {
      const asInt = (x: string): string => (type === "bool" ? `i32(${x})` : x);
      const beats = `${asInt(value)} ${isMax ? ">" : "<"} ${asInt(best)}`;
      const better = type === "f32" ? `(!${isNan(best)} && (${isNan(value)} || ${beats}))` : `(${beats})`;
      emitter.line(`if (!${any} || ${better}) {`);
      emitter.line(`  ${best} = ${value};`);
      emitter.line(`  ${at} = ${place()};`);
      emitter.line(`  ${any} = true;`);
      emitter.line("}");
    },
    result: () => at,
  };
}
