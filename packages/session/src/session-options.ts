/** @file Options of what a session does with programs. */
import type { NonfiniteOptions } from "@sconce/backend-cpu";
import { LONG_WORK, type LongWorkOptions, type OptionNames } from "@sconce/errors";
import { type Backend, COMPILE_OPTIONS, type CompileOptions, type PytreeRegistry } from "@sconce/ir";
import { BISECT_OPTIONS, type BisectOptions, MANAGER_OPTIONS, type PassManagerOptions } from "@sconce/passes";

/** Options of `transformAsync`. */
export interface TransformAsyncOptions extends PassManagerOptions, LongWorkOptions {}

/** Options of `bisectAsync`. */
export interface BisectAsyncOptions extends BisectOptions, LongWorkOptions {}

export const BISECT_ASYNC: OptionNames<BisectAsyncOptions> = { ...BISECT_OPTIONS, ...LONG_WORK };
export const TRANSFORM_ASYNC: OptionNames<TransformAsyncOptions> = { ...MANAGER_OPTIONS, ...LONG_WORK };

/** How a program becomes a module to call: the backend, and all options of `compile`. */
export interface ModuleOptions extends CompileOptions {
  /** The backend, or its name. @defaultValue `auto`: `wasm` where it runs, else the interpreter */
  readonly backend?: string | Backend;
  /**
   * How values of registered pytree types look in JavaScript; those of the plugins when left out.
   */
  readonly types?: PytreeRegistry;
}

export const NONFINITE: OptionNames<Omit<NonfiniteOptions, "operators" | "kernels">> = {
  kind: true,
  random: true,
  withoutKernels: true,
  maxBytes: true,
  ...LONG_WORK,
};

export const MODULE_OPTIONS: OptionNames<ModuleOptions> = { ...COMPILE_OPTIONS, backend: true, types: true };
