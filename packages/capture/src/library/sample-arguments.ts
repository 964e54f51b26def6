/** @file Arguments for `library.opCheck`, made of the schema of an operator. */

import { float, type OpSchema, type SchemaArgument, type SchemaBase } from "@sconce/ir";
import { isPlainObject } from "@sconce/source-check";
import { Tensor } from "@sconce/tensor";

/** The sizes of the tensors of each sample. */
const SHAPES: readonly (readonly number[])[] = [[2, 3], [4], [3, 3], [5, 2, 3]];

const SCALARS: Readonly<Partial<Record<SchemaBase, unknown>>> = {
  int: 2,
  SymInt: 2,
  float: 1.5,
  Scalar: float(2),
  bool: true,
  ScalarType: "float32",
  Device: "cpu",
  Layout: "strided",
  MemoryFormat: "contiguous_format",
};

/** Floats of both signs, none of them 0 or an integer. */
function rampOf(shape: readonly number[], start: number): Tensor {
  const count = shape.reduce((a, b) => a * b, 1);
  const data = Float32Array.from({ length: count }, (_, i) => (((i + start) * 7) % 11) / 4 - 1.3);
  return Tensor.fromData(data, "float32", shape);
}

/**
 * Calls of an operator with arguments of its types; undefined where a type has no obvious value, as
 * a string without default.
 */
export function sampleCalls({ args }: OpSchema): readonly (readonly unknown[])[] | undefined {
  const calls = SHAPES.map((shape, variant) => {
    const positional: unknown[] = [];
    const keywords: Record<string, unknown> = {};
    args.forEach((argument, i) => {
      const value = sampleOf(argument, shape, variant, i);
      if (argument.kwargOnly) keywords[argument.name] = value;
      else positional.push(value);
    });
    return Object.keys(keywords).length > 0 ? [...positional, keywords] : positional;
  });
  const isKnown = calls.every((call) => !call.flatMap(keywordValues).includes(UNKNOWN));
  return isKnown ? calls : undefined;
}

const UNKNOWN = Symbol("unknown");

const keywordValues = (value: unknown): unknown[] => (isPlainObject(value) ? Object.values(value) : [value]);

/** Optional arguments are given in every other sample, others with a default in none. */
function sampleOf(
  { type, hasDefault }: SchemaArgument,
  shape: readonly number[],
  variant: number,
  at: number,
): unknown {
  if (type.optional) {
    if (variant % 2 === 0 || type.base !== "Tensor") return null;
  } else if (hasDefault) return undefined;
  const one = (start: number): unknown =>
    type.base === "Tensor" ? rampOf(shape, start) : (SCALARS[type.base] ?? UNKNOWN);
  return type.list ? [one(at), one(at + 3)] : one(at);
}
