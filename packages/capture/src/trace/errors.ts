/** @file Errors of values while a program is traced. */
import { SconceError } from "@sconce/errors";
import type { FakeTensor } from "@sconce/ir";

/** A symbolic size where JavaScript wants a number or a text. */
export const symbolicCoercion = (text: string, hint: string): SconceError =>
  new SconceError({
    code: "SYMBOLIC_COERCION",
    message: `the dynamic size ${text} is used as a ${hint === "default" ? "value of a JavaScript operator" : hint}`,
    fix: "use `sym.add`, `sym.mul`, `sym.eq`, `sym.lt` and the like, and `guard(condition)` for a branch",
  });

/** The values of a tensor are read while a program is traced. */
export const tracedValues = (): SconceError =>
  new SconceError({
    code: "TRACED_VALUES",
    message: "the values of a tensor are read while the program is traced, when they are not known",
    fix: "compute with operators instead; to branch on values use `cond`; to read an integer use `item()`",
  });

/** `shape` of a traced tensor that has a dynamic size. */
export const dynamicShape = (property: string, { shape }: FakeTensor): SconceError =>
  new SconceError({
    code: "DYNAMIC_SHAPE",
    message: `\`${property}\` of a tensor of sizes [${shape.join(", ")}] is read, which are not all numbers`,
    fix: "read dynamic sizes with `x.size(dim)`, and compute with them by `sym.add`, `sym.mul` and the like",
  });
