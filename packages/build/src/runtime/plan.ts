/** @file What a module knows of its program: the data that the runtime reads. */

/**
 * The way to a leaf from the arguments: the argument's name, then positions, keys and attributes.
 */
export type Key = string | number;

/**
 * A container of results: the position of a leaf, or a list, an object or a `Map` of containers.
 */
export type Template =
  | number
  | { readonly list: readonly Template[] }
  | { readonly object: readonly (readonly [string, Template])[] }
  | { readonly map: readonly (readonly [Key, Template])[] };

/** One value that a call takes. */
export interface InputPlan {
  readonly path: readonly Key[];
  /** As guards name it: `x['mask']`. */
  readonly text: string;
  /** The dtype of a tensor; undefined for other values. */
  readonly dtype?: string;
  /** Sizes; a text for those that are dynamic. */
  readonly shape?: readonly (number | string)[];
  /** What a symbolic number is: an integer that sizes depend on, or any number. */
  readonly number?: "int" | "float";
  /** The place of its elements; undefined where no kernel reads it. */
  readonly place?: number;
}

/** One value that a call gives. */
export type ResultPlan =
  | { readonly at: number; readonly dtype: string }
  | { readonly input: number }
  /** A result of a step of the host. */
  | { readonly host: number }
  | { readonly scalar: string | number | boolean | null }
  /** A number that the sizes of a run decide: it is among them. */
  | { readonly isSize: true };

/** What the sizes of a run decide. */
export interface RunSizes {
  /** Bytes of the values. */
  readonly bytes: readonly number[];
  /** Units of the kernels; 0 for those that have nothing to compute. */
  readonly units: readonly number[];
  /** Sizes that kernels get, for each kernel. */
  readonly given: readonly (readonly number[])[];
  /** For each result its shape, or a number. */
  readonly results: readonly (readonly number[] | number)[];
  /** About how many elements each kernel computes, where threads may share them. */
  readonly work?: readonly number[];
}

/** Arithmetic of sizes. */
export interface SizeHelpers {
  /** Returns an exact integer. */
  $(value: number): number;
  div(a: number, b: number): number;
  mod(a: number, b: number): number;
  quotient(a: number, b: number): number;
  stride(shape: readonly number[], at: number): number;
  /** Refuses a run. */
  need(condition: boolean, text: string): void;
}

/** The inputs of a call as sizes see them: shapes of tensors, and other values as they are. */
type GivenSizes = readonly unknown[];

/** A tensor outside of the memory of kernels: elements in row-major order. */
export interface HostTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: Uint8Array<ArrayBuffer>;
}
/** What a step gives. */
export type HostResult = HostTensor | number | bigint | boolean;

/** What the functions of steps call. */
export interface HostHelpers extends SizeHelpers {
  /** Returns the only element. */
  item(tensor: HostTensor): number | bigint | boolean;
  /** Returns whether the only element is not zero. */
  truth(tensor: HostTensor): boolean;
  /** Refuses a run: an assertion of the program does not hold. */
  check(holds: boolean, message: string): void;
  /** Returns the value of a function; refuses arguments outside of its domain. */
  domain(value: number, argument: number): number;
}

/**
 * A step: computes its results from sizes and numbers, results of earlier steps, and tensors: `u`
 * gives an input, `r` what is at a place. `k` runs kernels.
 */
type HostFunction = (
  given: readonly unknown[],
  hosted: readonly HostResult[],
  helpers: HostHelpers,
  u: (input: number) => HostTensor,
  r: (place: number, dtype: string, shape: readonly number[], itemSize: number) => HostTensor,
  k: unknown,
) => readonly HostResult[];

/**
 * Kernels that are placed together: the sizes of what follows are known when the steps of the host
 * in front of it have run.
 */
export interface Segment {
  /** Kernels, and steps of the host, up to its end. */
  readonly kernels: number;
  readonly hosts: number;
  /** Values that get their places here. */
  readonly values: readonly number[];
  /** Those of these values and of its kernels; results are those of the last segment. */
  readonly sizes: RunSizes | ((given: readonly unknown[], helpers: SizeHelpers) => RunSizes);
}

/** All steps of the host. */
export interface HostPlan {
  /** Each with the number of kernels before it. */
  readonly steps: readonly (readonly [kernels: number, run: HostFunction])[];
  /** Results of steps that are copied to values. */
  readonly loads: readonly (readonly [result: number, value: number])[];
  readonly segments: readonly Segment[];
}

/**
 * What a run leaves in state, or in an input: the place of the value, and of what it is written to.
 */
export type WritePlan =
  | { readonly from: number; readonly state: number }
  | { readonly from: number; readonly input: number };

/**
 * A program as its module runs it. Places count all constants first, then values.
 */
export interface ModulePlan {
  readonly inputs: readonly InputPlan[];
  /** Conditions on inputs, in the order in which they are checked, with their texts. */
  readonly guards: readonly (readonly [string, (given: GivenSizes, helpers: SizeHelpers) => boolean])[];
  /** Gives the values that inputs may have: the input, the ends, and the call that needs them. */
  readonly ranges: (
    given: GivenSizes,
    helpers: SizeHelpers,
  ) => readonly (readonly [number, number, number, string])[];
  /** Computes what the sizes of a run decide; what is the same in all runs otherwise. */
  readonly sizes: RunSizes | ((given: GivenSizes, helpers: SizeHelpers) => RunSizes);
  readonly results: readonly ResultPlan[];
  readonly output: Template;
  readonly writes: readonly WritePlan[];
  /** Tensors of the weights file: name, dtype as the file has it, shape. */
  readonly weights: readonly (readonly [string, string, readonly number[]])[];
  /**
   * Elements that stay in memory: the weight, bytes, and where a kernel reads them in another order
   * the number of the function that makes it, the count of its parts and their bytes (0 where it
   * takes all at once). A last 1 says that runs write to it.
   */
  readonly constants: readonly (readonly [number, number, number, number, number, number])[];
  /** Values of a run: the step that writes it (-1 for an input), the last that reads it. */
  readonly values: readonly (readonly [number, number])[];
  /** Kernels: number, places, and the values that are set to zero first. */
  readonly steps: readonly (readonly [number, readonly number[], (readonly number[])?])[];
  /** Bytes of scratch memory. */
  readonly scratch: number;
  /** Steps that are not kernels; `sizes` is not read where there are any. */
  readonly host?: HostPlan;
}
