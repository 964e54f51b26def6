/** @file Programs and values for the tests of this package. */
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";

/** Returns a program of inputs, a body and one result. */
export function program(inputs: string, body: string, result: string, dialect = "ATEN"): ExportedProgram {
  const names = [...inputs.matchAll(/%(\w+):/g)].map(([, name]) => name);
  const results = result.split(",").map((name) => name.trim());
  const lines = [
    ...names.map((name) => `input %${name}: USER_INPUT`),
    ...results.map((name) => `output %${name}: USER_OUTPUT`),
  ];
  const returned = results.map((name) => `%${name}`).join(", ");
  return parseIr(
    `sconce-ir 1\nprogram "${dialect}" {\n${lines.join("\n")}\n}\ngraph(${inputs}) {\n${body}\nreturn (${returned})\n}`,
  );
}
export const floats = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values, shape, "float32");
export const ints = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values.map(BigInt), shape, "int64");
