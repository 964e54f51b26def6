/** @file The types of a built module, as its declaration file. */
import type { ExportedProgram, FakeTensor } from "@sconce/ir";
import { onValid } from "@sconce/ir/verify";
import { arrayTypes, saysShape, tensorParameters } from "./tensor-types.js";
import { callTypes, inputLeaves, type LeafType, outputLeaves, recordText } from "./type-declarations.js";

/** What all declaration files of modules have. */
const COMMON = `/** A tensor that a call gives: elements in row-major order. */
export interface Tensor<DType extends string, Shape extends readonly number[], Data> {
  readonly dtype: DType;
  readonly shape: Shape;
  readonly data: Data;
}

/** A tensor that a call takes: elements in row-major order. */
export interface TensorInput<DType extends string, Shape extends readonly number[], Data> {
  readonly data: Data;
  readonly shape: Shape;
  readonly dtype?: DType;
}

/** What a file may be given as. */
export type Source = string | URL | Response | ArrayBuffer | ArrayBufferView;

/** Kernels of WebAssembly. */
export type Kernels = Source | WebAssembly.Module;

/** How far loading is, in bytes; \`total\` is undefined where a server does not say. */
export interface Progress {
  readonly file: "wasm" | "weights";
  readonly loaded: number;
  readonly total: number | undefined;
}

export interface LoadOptions {
  /** The weights: a safetensors file. By default the one beside the module. */
  readonly weights?: Source;
  /**
   * The kernels of \`NAME.wasm\`, compiled or not, or a function that returns those of a file by
   * its name. By default the files beside the module.
   */
  readonly wasm?: Kernels | ((file: string) => Kernels);
  /**
   * How many threads compute, in modules that were built with threads: the same results. Memory is
   * shared, which pages may if they are isolated; one thread computes where it cannot be. Inputs
   * must stay as they are until a run ends.
   * @defaultValue 1
   */
  readonly threads?: number | "auto";
  /** Fetches the files. By default \`fetch\`. */
  readonly fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>;
  readonly onProgress?: (progress: Progress) => void;
  /** Stops loading. */
  readonly signal?: AbortSignal;
}

/** The program, ready to run. */
export interface Model {
  /** What its kernels are: WebAssembly, or JavaScript. */
  readonly target: "wasm" | "js";
  /** How many threads compute. */
  readonly threads: number;
  /**
   * Computes the program. Buffers that it writes to keep their values for the next call.
   * @throws ModelError for inputs that the program does not take; nothing was computed then
   */
  run(inputs: Inputs): Promise<Outputs>;
  /** Restores the buffers that calls wrote to. */
  reset(): void;
  /** Frees the memory; later calls are refused. */
  dispose(): void;
}

/** Why a module refuses something. */
export declare class ModelError extends Error {
  /** The kind of error: \`GUARD_FAILED\`, \`INPUT_DTYPE\` and the like. */
  readonly code: string;
}

/** Loads the kernels and the weights. */
export declare function load(options?: LoadOptions): Promise<Model>;
`;

/**
 * Writes the declaration file of the module that \`buildModule\` makes of a program: dtypes, ranks
 * and sizes that are fixed are literals. Texts of the program are data: names are quoted or
 * escaped.
 *
 * @throws SconceError `NO_CALLING_CONVENTION`, `INVALID_PROGRAM`
 */
export const moduleDeclarations = (program: ExportedProgram): string =>
  onValid(program, () => {
    const { positional, keywords, outputs } = callTypes(
      program,
      inputLeaves(program, inputType).map(orUndefined),
      outputLeaves(program, outputType),
    );
    return `${[
      "/** The module of a program, written by `sconce build`. */",
      "",
      "/** The arguments of a call. */",
      ...recordText("Inputs", [...positional, ...keywords]),
      "",
      `/** What a call gives${outputs.doc === "" ? "" : `: ${outputs.doc}`}. */`,
      `export type Outputs = ${outputs.type};`,
      "",
    ].join("\n")}\n${COMMON}`;
  });

function inputType(tensor: FakeTensor | undefined): string {
  if (tensor === undefined) return "unknown";
  const data = arrayTypes(tensor).join(" | ");
  const whole = `TensorInput<${tensorParameters(tensor)}, ${data}>`;
  return saysShape(tensor) ? `${data} | ${whole}` : whole;
}

const outputType = (tensor: FakeTensor | undefined): string =>
  tensor === undefined ? "number" : `Tensor<${tensorParameters(tensor)}, ${arrayTypes(tensor)[0]!}>`;

/** A module takes `undefined` where the program takes `null`. */
const orUndefined = (leaf: LeafType): LeafType =>
  leaf.type === "null" ? { ...leaf, type: "null | undefined" } : leaf;
