import { checkOptions, type OptionNames } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { type Draw, drawFrom } from "@sconce/passes";
import type { DType } from "@sconce/tensor";
import { type BuildOptions, buildProgram } from "./build.js";

/** What generated programs may be like. */
export interface ProgramOptions extends BuildOptions {
  /** Whether programs may have a symbolic batch size; yes when left out. */
  readonly dynamic?: boolean | undefined;
  /** `TRAINING` or `ATEN` only; both when left out. */
  readonly dialect?: "TRAINING" | "ATEN" | undefined;
}

/** The names of the options. */
export const PROGRAM: OptionNames<ProgramOptions> = {
  dynamic: true,
  dialect: true,
  ops: true,
  maxNodes: true,
  mutations: true,
  operators: true,
};

/** Dtypes of inputs, as often as they are drawn. */
export const INPUT_DTYPES: readonly DType[] = [
  ...(["float32", "float32", "float32", "float32", "float64"] as const),
  ...(["int64", "bool", "float16", "bfloat16", "int32"] as const),
];

/**
 * Returns a random program of a seed, without fast-check: see `arbitraryProgram` for one that
 * shrinks.
 */
export function sampleProgram(seed: number, options: ProgramOptions = {}): ExportedProgram {
  checkOptions("sampleProgram", options, PROGRAM);
  const { maxNodes = 24, dynamic = true, dialect } = options;
  const draw = drawFrom(seed);
  const key = (): number => draw.integer(0, 2 ** 31);
  return buildProgram(
    {
      dialect: dialect ?? (draw.unit() < 0.5 ? "TRAINING" : "ATEN"),
      dynamic: dynamic && draw.unit() < 0.5,
      inputs: list(draw, 1, 3, () => ({
        dtype: INPUT_DTYPES[draw.integer(0, INPUT_DTYPES.length - 1)]!,
        shape: list(draw, 0, 4, () => draw.integer(1, 4)),
        key: key(),
      })),
      steps: list(draw, 1, Math.ceil(maxNodes * 1.5), () => ({
        maker: draw.integer(0, 2 ** 16),
        choices: list(draw, 8, 8, () => draw.integer(0, 11)),
        key: key(),
        live: draw.unit() < 0.8,
      })),
      seed: key(),
    },
    { ...options, maxNodes },
  );
}

const list = <T>(draw: Draw, least: number, most: number, item: () => T): T[] =>
  Array.from({ length: draw.integer(least, most) }, item);
