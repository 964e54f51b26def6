/** @file Which code a nest gets. */

import type { LoopNest, LoopProgram } from "@sconce/codegen";
import { forEachScalar, readsOf } from "@sconce/codegen";
import type { JoinedNests, RowsCode } from "@sconce/device-runtime";
import { type DType, isComplexDType } from "@sconce/tensor";
import type { KernelCache } from "../cache/kernel-cache.js";
import type { Kernels } from "../device/device.js";
import { printedRows } from "../emit/printed-kernel.js";
import type { KernelCode } from "../kernel-code.js";
import { attentionCode } from "../matrix/attention.js";
import { attentionPlans } from "../matrix/attention-plan.js";
import { expansionOf } from "../matrix/expansion.js";
import type { MatrixOptions } from "../matrix/options.js";
import { KnownCode } from "./known-code.js";
import { nestCode } from "./nest-code.js";
import { type OpenOptions, openCode, openRows } from "./open-code.js";

/** Code of several nests. */
interface WasmRows extends RowsCode {
  readonly code: KernelCode;
}

/** Returns why kernels cannot compute with a dtype. */
export const whyNotHeld = (dtype: DType): string | undefined =>
  (isComplexDType(dtype) && dtype !== "complex64") || dtype.startsWith("float8")
    ? `kernels compute with integers, float16 to float64, complex64 and bools, not with ${dtype}`
    : undefined;

/** Returns why there is no kernel for a nest, or undefined. */
function whyNot({ value, output }: LoopNest, { buffers }: LoopProgram): string | undefined {
  let reason: string | undefined;
  for (const id of [...readsOf(value), output]) reason ??= whyNotHeld(buffers[id]!.dtype);
  forEachScalar(value, ({ dtype, kind }) => {
    reason ??= whyNotHeld(dtype);
    if (kind === "reduce" && isComplexDType(dtype)) reason ??= "kernels do not reduce complex numbers";
  });
  return reason;
}

/** What the engine has, and what was asked for. */
type Choices = Required<Pick<MatrixOptions, "relaxed" | "winograd">> & Pick<OpenOptions, "isOnly">;

/** Returns what makes kernels for an engine. */
export function kernelsFor({ relaxed, winograd, isOnly = false }: Choices, cache?: KernelCache): Kernels {
  const known = new KnownCode(`relaxed ${relaxed}, winograd ${winograd}`);
  return {
    relaxed,
    cache,
    whyNotHeld,
    whyNot,
    takesFactor: ({ value, inner }) => expansionOf(value, inner) !== undefined,
    rowsCode: (group, loops, sizes): WasmRows | undefined => {
      const stored = group.parts.map(({ isStored }) => Number(isStored)).join();
      const nests = group.parts.map(({ nest }) => nest);
      const make = (): KernelCode | undefined => printedRows(group, loops, sizes);
      const code = known.get(nests, { loops, sizes }, `rows ${stored}`, make);
      return code && codeOfNests(code);
    },
    joinedNests: (nests, groups, loops, sizes) =>
      attentionPlans(nests, groups, loops).flatMap((plan): JoinedNests | [] => {
        const own = plan.positions.map((at) => nests[at]!);
        const make = (): KernelCode | undefined => attentionCode(plan, loops, sizes, relaxed);
        const code = known.get(own, { loops, sizes }, "attention", make);
        return code === undefined ? [] : { positions: plan.positions, code: codeOfNests(code) };
      }),
    make: ({ nests, rows }, request) => {
      if (rows !== undefined) return (rows as WasmRows).code;
      const { constants } = request;
      const options = { relaxed, winograd, isConstant: (id: number) => constants.has(id) };
      return known.get(nests, request, "nest", () =>
        nestCode(nests[0]!, request.loops, request.sizes, options),
      )!;
    },
    openRows: (group, loops): WasmRows | undefined => {
      const stored = group.parts.map(({ isStored }) => Number(isStored)).join();
      const nests = group.parts.map(({ nest }) => nest);
      const make = (): KernelCode | undefined => openRows(group, loops);
      const code = known.get(nests, { loops, sizes: undefined }, `open rows ${stored}`, make);
      return code && codeOfNests(code);
    },
    openNest: (nest, loops, constants): WasmRows | string => {
      const options = { relaxed, winograd, isOnly, isConstant: (id: number) => constants.has(id) };
      const make = (): KernelCode | string => openCode(nest, loops, options);
      const code = known.find([nest], { loops, sizes: undefined, constants }, "open", make);
      return typeof code === "string" ? code : codeOfNests(code);
    },
  };
}

const codeOfNests = (code: KernelCode): WasmRows => ({
  code,
  reads: code.memories.flatMap(({ buffer, access }) => (access === "read" ? [buffer] : [])),
});
