/** @file Recipes: one change of a sound file each, and the error that reading it gives. */

import type { Budget } from "@sconce/errors";
import { historyFromJson } from "@sconce/ir/history";
import { parseIr } from "@sconce/ir/text";
import { programFromIR, readJsonIR } from "@sconce/session";
import { readSafetensors, type Tensor } from "@sconce/tensor";
import { session } from "../targets/bases.js";
import { golden } from "./golden-inputs.js";

/** The formats that recipes change, by the golden file that they begin with. */
export const FORMATS = {
  archive: "strict_linear.pt2",
  safetensors: "strict_linear.safetensors",
  "IR text": "strict_linear.sir",
  "JSON IR": "strict_linear.json-ir.json",
  "history JSON": "strict_linear.history.json",
} as const;

/** A format that recipes change. */
export type RecipeFormat = keyof typeof FORMATS;

/** One change, and the error that it gives. */
export interface Recipe {
  readonly format: RecipeFormat;
  /** What is changed. */
  readonly name: string;
  /** The changed file. */
  readonly make: () => Uint8Array;
  readonly code: string;
  /** The place of the error: entry, offset, JSON path, line and column. */
  readonly where: string;
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Tensors that histories name. */
const tensors = (): ReadonlyMap<string, Tensor> =>
  new Map(
    ["strict_linear.lowered.safetensors", "strict_linear.history.safetensors"].flatMap((name) => [
      ...readSafetensors(golden(name)).tensors,
    ]),
  );

/** Reads files of a format, and builds what they describe. */
export const READ: Readonly<Record<RecipeFormat, (bytes: Uint8Array, budget: Budget) => unknown>> = {
  archive: async (bytes, budget) => (await session.load(bytes, { budget })).exampleInputs?.leaves,
  safetensors: (bytes, budget) => readSafetensors(bytes, { budget }),
  "IR text": (bytes, budget) => parseIr(text(bytes), { budget, operators: session.operators }),
  "JSON IR": (bytes, budget) => programFromIR(readJsonIR(bytes, { budget }), session),
  "history JSON": (bytes, budget) => historyFromJson(text(bytes), tensors(), { budget }),
};
