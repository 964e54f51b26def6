/** @file The options of reading. Sessions have them at once, and the reader when they read. */
import {
  type Budget,
  type Limits,
  LONG_WORK,
  type LongWorkOptions,
  type OptionNames,
  LIMITS as WORK_LIMITS,
} from "@sconce/errors";
import type { ExportedProgram, PytreeRegistry } from "@sconce/ir";
import type { SourceLimits } from "../source.js";
import type { OperatorPolicy } from "./program.js";
import type { VersionOptions } from "./version-options.js";

/** Bounds on reading a file: on the work, and on what its source may send. */
export interface ReadLimits extends Limits, SourceLimits {}

/**
 * How `readPt2` reads a file: which operators may be unknown, bounds on what the file claims, and
 * how to stop. Progress counts the bytes of the entries that were read.
 */
export interface ReadPt2Options extends OperatorPolicy, VersionOptions, LongWorkOptions {
  /** Which of several programs in the archive. Default `model`. */
  readonly model?: string | undefined;
  /** Bounds on what the file may claim; those left out keep their defaults. */
  readonly limits?: ReadLimits | undefined;
  /** A budget of work that several readers share; the limits of work are then not read. */
  readonly budget?: Budget | undefined;
  /**
   * Classes registered with pytree, by serialized name: what reads them from the saved example
   * inputs.
   */
  readonly pytreeTypes?: PytreeRegistry | undefined;
  /**
   * Receives the files that were saved beside the program, by name, with their bytes: all of them,
   * as `torch.export.load` does. It changes only when the program has been read.
   */
  readonly extraFiles?: Map<string, Uint8Array> | undefined;
  /**
   * When weights and constants are read: with the program, or when `loadValues` or `tensor.load()`
   * asks for them. Their checksums are compared when they are read. @defaultValue `eager`
   */
  readonly weights?: "eager" | "lazy" | undefined;
}

/** The names of the limits. */
export const LIMITS: OptionNames<ReadLimits> = {
  maxStreamBytes: true,
  stallMilliseconds: true,
  ...WORK_LIMITS,
};

/** How {@link ReadPt2Options} reads all programs of an archive. */
export interface LoadPt2Options extends Omit<ReadPt2Options, "model" | "extraFiles"> {}

/** The names of the options. */
export const LOAD_PT2_OPTIONS: OptionNames<LoadPt2Options> = {
  limits: true,
  budget: true,
  ...LONG_WORK,
  pytreeTypes: true,
  operators: true,
  unknownOperators: true,
  expectedOpsetVersion: true,
  weights: true,
  onWarning: true,
};

/** The names of the options. */
export const READ_OPTIONS: OptionNames<ReadPt2Options> = {
  model: true,
  extraFiles: true,
  ...LOAD_PT2_OPTIONS,
};

/** Bounds on reading the names of programs, and how to stop. */
export interface NamesOptions extends Pick<ReadPt2Options, "limits" | "budget" | "signal"> {}

/** The names of the options. */
export const NAMES_OPTIONS: OptionNames<NamesOptions> = { limits: true, budget: true, signal: true };

/** What an archive holds (`PT2ArchiveContents` of PyTorch). */
export interface PT2ArchiveContents {
  /** The programs by name, in the order of the archive. */
  readonly exportedPrograms: ReadonlyMap<string, ExportedProgram>;
  /** The files that were saved beside the programs, by name. */
  readonly extraFiles: ReadonlyMap<string, Uint8Array>;
}
