/**
 * @file `exportProgram`: traces a module or a function into a program, as `torch.export.export`.
 */

import { checkOptions, type OptionNames } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { type AnyFunction, declareOwn, isClass, type SourceFinding } from "@sconce/source-check";
import { Tensor } from "@sconce/tensor";
import { installMethods, Module } from "@sconce/torch";
import { refuseOldOptions } from "../dynamic/index.js";
import { installProgramMethods } from "../unlift/install.js";
import { badArguments, badKeywords, classGiven, notExportable, strictWithoutSource } from "./errors.js";
import type { GivenShapes } from "./given-shapes.js";
import { withRecorded } from "./recorded.js";
import { type TraceRequest, traceProgram } from "./trace-program.js";

installMethods();
installProgramMethods();

/** Options of {@link exportProgram}. */
export interface ExportOptions {
  /** Keyword arguments: passed in an object behind the positional ones. @defaultValue none */
  readonly kwargs?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Whether the source of the model is checked for tensors and dynamic sizes that JavaScript would
   * decide on (`SOURCE_CHECK`). @defaultValue true
   */
  readonly checkSource?: boolean | undefined;
  /**
   * Which sizes are dynamic: by argument, with the structure of the arguments. A tensor takes an
   * object from dimensions to `Dim`s, hints, numbers or null, or a list of them. A `ShapesSpec`, or
   * a `ParamsSpec`, names sizes that are never made constants; see {@link ShapesSpec}.
   * @defaultValue all sizes are static
   */
  readonly dynamicShapes?: GivenShapes;
  /**
   * Receives the places of the source that the check could not follow.
   * @defaultValue `onWarning` receives one text that lists them
   */
  readonly onUnchecked?: ((finding: SourceFinding) => void) | undefined;
  /**
   * Whether conditions on sizes of inputs become assertions, which the program checks when it runs,
   * instead of guards. A condition that only an assertion can express (`x.size(0) % 2 == 0`) then
   * does not violate `dynamicShapes`; ranges and equalities still do. @defaultValue false
   */
  readonly preferDeferredRuntimeAssertsOverGuards?: boolean | undefined;
  /**
   * Paths of submodules whose calling conventions `moduleCallGraph` keeps: what each call takes and
   * gives, and its structure. @defaultValue none
   */
  readonly preserveModuleCallSignature?: readonly string[] | undefined;
  /** Receives warnings, such as about an assigned attribute. @defaultValue `console.warn` */
  readonly onWarning?: ((message: string) => void) | undefined;
  /**
   * Whether the export is strict: code whose effects the trace cannot see is refused
   * (`STRICT_MODE`), and the program has the names and metadata of PyTorch's strict mode.
   * @defaultValue false
   */
  readonly strict?: boolean | undefined;
}

const EXPORT: OptionNames<ExportOptions> = {
  checkSource: true,
  dynamicShapes: true,
  kwargs: true,
  onUnchecked: true,
  onWarning: true,
  preferDeferredRuntimeAssertsOverGuards: true,
  preserveModuleCallSignature: true,
  strict: true,
};

/** What can be exported: a module, a function, or a method that is bound. */
export type Exportable = Module | AnyFunction;

/**
 * Traces a module or a function with example arguments. Returns the program that PyTorch returns
 * for the same model (`torch.export.export`). The module is left as it was.
 *
 * @throws SconceError `EXPORT_ARGUMENTS`, `MODULE_PATH`, `MODULE_CALL`, `BAD_DYNAMIC_SHAPES`,
 * `SHAPES_SPEC`, `CONSTRAINT_VIOLATION`, `SOURCE_CHECK`, `STRICT_MODE`, `UNSUPPORTED_INPUT`,
 * `UNSUPPORTED_OUTPUT`, and what the model's operators refuse
 */
export function exportProgram(
  target: Exportable,
  args: readonly unknown[],
  options: ExportOptions = {},
): ExportedProgram {
  const request = exportRequest("exportProgram", target, args, options);
  return withRecorded(request.module, traceProgram(request), request.warn);
}

declareOwn("exportProgram", exportProgram);

/** Checks the arguments of an export. */
export function exportRequest(
  name: string,
  target: Exportable,
  args: readonly unknown[],
  options: ExportOptions,
): TraceRequest {
  refuseOldOptions(options);
  checkOptions(name, options, EXPORT);
  if (options.strict === true && options.checkSource === false) throw strictWithoutSource();
  if (typeof target !== "function") throw notExportable(target);
  if (!(target instanceof Module) && isClass(target)) throw classGiven(target.name);
  if (!Array.isArray(args)) throw badArguments(args);
  const kwargs: unknown = options.kwargs ?? {};
  if (
    typeof kwargs !== "object" ||
    Array.isArray(kwargs) ||
    kwargs instanceof Map ||
    kwargs instanceof Tensor
  )
    throw badKeywords(kwargs);
  return {
    call: target as AnyFunction,
    module: target instanceof Module ? target : undefined,
    args,
    kwargs: kwargs as Readonly<Record<string, unknown>>,
    checksSource: options.checkSource ?? true,
    isStrict: options.strict ?? false,
    dynamicShapes: options.dynamicShapes,
    onUnchecked: options.onUnchecked,
    preserve: options.preserveModuleCallSignature ?? [],
    deferGuards: options.preferDeferredRuntimeAssertsOverGuards ?? false,
    warn: options.onWarning ?? ((message) => console.warn(message)),
  };
}

/**
 * Exports a model for training (`torch.export.export_for_training` of earlier releases). In PyTorch
 * 2.14 `export` gives the same program, in the dialect `TRAINING`.
 */
export function exportForTraining(
  target: Exportable,
  args: readonly unknown[],
  options?: ExportOptions,
): ExportedProgram {
  return exportProgram(target, args, options);
}
