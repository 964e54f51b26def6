/** @file What tests of quantization share. Not exported. */

import { readFileSync } from "node:fs";
import { createRunner, evaluate } from "@sconce/backend-cpu";
import { openPt2File } from "@sconce/formats/node";
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { type Evaluator, type PassCall, type PassContext, PassManager } from "@sconce/passes";
import { readSafetensors, Tensor } from "@sconce/tensor";
import { observe } from "./static/observe.js";

export const operators = defaultOperators().extend([observe]);

/** Returns a program of IR text, with its state drawn from a wave. */
export function textProgram(text: string): ExportedProgram {
  const program = parseIr(text, { operators });
  const state = [...program.stateDict].map(([name, { shape, numel }]) => {
    const values = Array.from({ length: numel }, (_, i) => Math.sin(i + name.length) / 2);
    return [name, Tensor.from(values, [...shape], "float32")] as const;
  });
  return program.withState(new Map(state));
}

export const context: PassContext = {
  operators,
  evaluate: evaluate as Evaluator,
  run: createRunner({ operators }),
};

const folder = (name: string): URL => new URL(`../../testing/fixtures/programs/${name}/`, import.meta.url);

/** Returns a program that PyTorch exported: `program` before lowering, `decomposed` after. */
export const recorded = (
  name: string,
  kind: "program" | "decomposed" = "program",
): Promise<ExportedProgram> => openPt2File(new URL(`${kind}.pt2`, folder(name)), { operators });

/** Returns its inputs. */
export const inputTensors = (name: string): Tensor[] => [
  ...readSafetensors(readFileSync(new URL("inputs.safetensors", folder(name)))).tensors.values(),
];

/** Runs passes and verifies the program after each. */
export const transformed = (program: ExportedProgram, calls: readonly PassCall[]): ExportedProgram =>
  new PassManager(context, { verify: true }).run(program, calls);

/** Runs a program; returns its tensors. */
export const outputsOf = (program: ExportedProgram, inputs: readonly Tensor[]): Tensor[] =>
  context.run!(program, inputs).outputs as Tensor[];
