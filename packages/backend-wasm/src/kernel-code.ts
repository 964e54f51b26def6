/** @file Code of kernels: the contract between those that make kernels and the device. */

import { type Index, sizeOf } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import type { ModuleBuilder, ValueType } from "@sconce/wasm";

/** A buffer of the loop program that a kernel uses. */
export interface KernelBuffer {
  /** Position in the buffers of the loop program. */
  readonly buffer: number;
  /** What the kernel does with it. */
  readonly access: "read" | "write";
}
/** A JavaScript function that a kernel calls: one for which there is no WebAssembly code. */
export interface KernelImport {
  /** Unique among all kernels: the device gives the same name the same function. */
  readonly name: string;
  /** Types of the parameters. */
  readonly parameters: readonly ValueType[];
  /** The type of the result. */
  readonly result: ValueType;
  /** The function. */
  readonly call: (...args: never[]) => number | bigint;
}
/**
 * A buffer in another order, which a kernel reads in place of the buffer: weights in the order of a
 * microkernel. The device makes it before the kernel runs, and keeps it for as long as the
 * elements of the buffer stay the same. A kernel asks for it only for buffers of constants.
 */
export interface PreparedBuffer {
  /** Position in the buffers of the loop program. */
  readonly buffer: number;
  /** Bytes of the prepared form. */
  readonly bytes: number;
  /** Equal keys of one buffer are the same form, so that kernels share it. */
  readonly key: string;
  /** Adds a function of two parameters (i32): the address of the buffer, and of the form. */
  readonly emit: (module: ModuleBuilder) => number;
  /** How the form is made from parts of the buffer; undefined if that takes all of it. */
  readonly parts?: PreparedParts | undefined;
}

/** Parts of a buffer that follow one another, each of which makes a part of a form. */
export interface PreparedParts {
  readonly count: number;
  /** Bytes of a part of the buffer. The last one may be shorter. */
  readonly bytes: number;
  /**
   * Adds a function of four parameters (i32): where the buffer would begin if the parts that are
   * given lay in it, the address of the form, the first part and the end of parts.
   */
  readonly emit: (module: ModuleBuilder) => number;
}
/** A count of units that sizes decide. */
export interface UnitCount {
  readonly count: Index;
  /** What it is divided by; a rest is one more. */
  readonly per: number;
}
/** Returns the units in known sizes. */
export const unitsAt = (units: readonly UnitCount[], sizes: Bindings): number =>
  units.reduce((total, { count, per }) => total * Math.ceil(sizeOf(count, sizes) / per), 1);

/** How code serves all sizes of the symbols in its nests, zeros left out. */
export interface OpenSizes {
  /** The units: a product of counts. */
  readonly units: readonly UnitCount[];
  /** Sizes that the entry gets behind the prepared buffers, in order. */
  readonly given: readonly Index[];
}

/**
 * Code of one kernel. Its entry has the parameters (all i32): the address of each memory, in order;
 * the address of each prepared buffer; the address of scratch memory; the first unit; the end of
 * units.
 */
export interface KernelCode {
  /**
   * The buffers of the loop program, in the order of the parameters; the last ones are written.
   */
  readonly memories: readonly KernelBuffer[];
  /** Buffers of constants that it reads in another order; none by default. */
  readonly prepared?: readonly PreparedBuffer[] | undefined;
  /**
   * Independent parts of the work: any division into ranges gives the same bits. Threads share
   * them later.
   */
  readonly units: number;
  /** Bytes of scratch memory that one thread needs, 16-byte aligned. */
  readonly scratchBytes: number;
  /**
   * Functions that the kernel calls. The device imports each into the module, as `name` of the
   * module `js`, before any kernel adds functions.
   */
  readonly imports: readonly KernelImport[];
  /**
   * Adds functions to a module; returns the index of the entry.
   *
   * @param imports the index of an imported function, by its name
   */
  readonly emit: (module: ModuleBuilder, imports: ReadonlyMap<string, number>) => number;
  /** For code that serves all sizes: {@link units} are not known then. */
  readonly open?: OpenSizes | undefined;
  /** Codes with equal keys add equal functions; undefined for code that no cache keeps. */
  readonly key?: string | undefined;
  /** The kernel IR, or the name of the microkernel, for `sconce info --kernels` and reports. */
  readonly text: string;
}
