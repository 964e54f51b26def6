/** @file The options of writing. Sessions have them at once, and the writer when they write. */
import { LONG_WORK, type LongWorkOptions, type OptionNames } from "@sconce/errors";
import type { OperatorLookup } from "@sconce/ir";

/** What goes into a `.pt2` file besides the program, and how to stop. */
export interface WritePt2Options extends LongWorkOptions {
  /**
   * Files to keep beside the program, by name. `torch.export.load` reads them as UTF-8 text; bytes
   * that are not text are for other readers.
   */
  readonly extraFiles?: Readonly<Record<string, string | Uint8Array>> | undefined;
  /**
   * Versions of operator sets by namespace. @defaultValue those of the program, and PyTorch's ATen
   */
  readonly opsetVersion?: Readonly<Record<string, number>> | undefined;
  /** The operators, whose schemas name the arguments of calls. */
  readonly operators?: OperatorLookup | undefined;
  /** The folder of all entries in the archive. @defaultValue `archive`, as PyTorch names it */
  readonly folder?: string | undefined;
  /** Called with what a file does not hold, and what PyTorch needs to load it. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** The names of the options. */
export const WRITE_OPTIONS: OptionNames<WritePt2Options> = {
  extraFiles: true,
  opsetVersion: true,
  operators: true,
  folder: true,
  onWarning: true,
  ...LONG_WORK,
};

/** How several programs go into one file. */
export interface PackagePt2Options extends WritePt2Options {
  /**
   * Which weights of several programs are written once: those that are one memory (`memory`), or
   * also those with equal bytes (`content`), which reads all of them first. @defaultValue `memory`
   */
  readonly sharedWeights?: "memory" | "content" | undefined;
}

/** The names of the options. */
export const PACKAGE_OPTIONS: OptionNames<PackagePt2Options> = { ...WRITE_OPTIONS, sharedWeights: true };
