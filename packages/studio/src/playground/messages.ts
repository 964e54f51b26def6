/** @file What the page and the worker of the playground send each other. */
import type { DType } from "@sconce/tensor";

/** A tensor as it is sent: its elements in row-major order. */
export interface SentTensor {
  /** The type of an element. */
  readonly dtype: DType;
  /** The sizes. */
  readonly shape: readonly number[];
  /** The elements. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Tensors by name. Names of the same tensor have the same object. */
export type SentTensors = readonly (readonly [name: string, tensor: SentTensor])[];

/** A program as it is sent. */
export interface SentProgram {
  /** The program as IR text. */
  readonly text: string;
  /** Its tensors; undefined for a program that lacks values. */
  readonly tensors: SentTensors | undefined;
}

/** A pass that ran in the playground. */
export interface RanPass {
  /** The name of the pass. */
  readonly pass: string;
  /** The pass with its options. */
  readonly call: string;
  /** Whether it changed the program. */
  readonly changed: boolean;
  /** Time that it took. */
  readonly milliseconds: number;
  /** How often each rule fired. */
  readonly rules: readonly (readonly [rule: string, count: number])[];
  /** Rewrites that a rule agreed to and the driver refused, and other notes. */
  readonly notes: readonly string[];
}

/** What passes of the playground did to a program. */
export interface SentRun {
  /** The pipeline that ran. */
  readonly pipeline: string;
  /** The passes in their order. */
  readonly passes: readonly RanPass[];
  /** Their changes, as `historyToJson` writes them. */
  readonly history: string;
  /** Tensors that the program did not have before, by the names in the history. */
  readonly tensors: SentTensors;
  /** Tensors that it had, by the names in the history, with their names in the program. */
  readonly kept: readonly (readonly [name: string, own: string])[];
}

/** What is wrong with a text, or what it threw. */
export interface CodeProblem {
  /** The kind of the error, or its code. */
  readonly title: string;
  /** What is wrong. */
  readonly message: string;
  /** The code of a typed error. */
  readonly code: string | undefined;
  /** Where it failed, of a typed error. */
  readonly where: string | undefined;
  /** What to do about it. */
  readonly fix: string | undefined;
  /** The line in the text, from 1 on. */
  readonly line: number | undefined;
  /** The column in the text, from 1 on. */
  readonly column: number | undefined;
}

/** A text to run. A text with a model needs no program. */
export interface ToPlayground {
  /** The module in TypeScript. */
  readonly source: string;
  /** The program that its passes run on. */
  readonly program: SentProgram | undefined;
}

/** What comes of it. */
export type FromPlayground =
  /** The worker is there; `policy` is the directive that keeps it from running a text. */
  | { readonly kind: "ready"; readonly policy: string | undefined }
  | { readonly kind: "log"; readonly text: string }
  | { readonly kind: "problem"; readonly problem: CodeProblem }
  | { readonly kind: "ran"; readonly run: SentRun }
  | { readonly kind: "captured"; readonly name: string; readonly program: SentProgram };
