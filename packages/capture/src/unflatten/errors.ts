/** @file Errors of unflattened programs. */
import { SconceError } from "@sconce/errors";
import { type Node, nodePlace, type TreeSpec, treeSpecText } from "@sconce/ir";

const PRESERVE = "`preserveModuleCallSignature: [PATH]` of `exportProgram`";

/** Returns the error for a program that cannot become modules again. */
const notUnflattenable = (message: string, where: string, fix: string): SconceError =>
  new SconceError({ code: "NOT_UNFLATTENABLE", message, where, fix });

/** Returns the error for a program with a backward graph. */
export const jointProgram = (): SconceError =>
  notUnflattenable(
    "Unflattening on JointExportModule NYI: the program has a backward graph",
    "unflatten",
    "unflatten the program before its backward graph was added",
  );

/** Returns the error for an input or output that belongs to no module. */
export const unknownPlace = (what: string, name: string): SconceError =>
  notUnflattenable(
    `${what} has no place in a module`,
    name,
    "run the program with `await sconce.module(program)`",
  );

/** Returns the error for a node that names no module. */
export const noModuleStack = (node: Node): SconceError =>
  notUnflattenable(
    "Unable to find nn_module_stack for the node: nothing says which module made it",
    nodePlace(node),
    "unflatten the program as it was exported, or give new nodes the metadata of the calls that they replace",
  );

/** Returns the error for a module that is called by a module that does not hold it. */
export const notDescendant = (child: string, parent: string): SconceError =>
  notUnflattenable(
    `Child module '${child}' is not a descendant of parent module '${parent}'. This is currently unsupported`,
    child,
    "Please try to make child module attach to parent module directly",
  );

/**
 * Returns the error for a value of another module that a preserved call reads past its arguments.
 */
export const readPastArguments = (path: string, node: Node): SconceError =>
  notUnflattenable(
    `the module "${path}", whose call is preserved, reads a value that is not among its arguments`,
    nodePlace(node),
    `give the value to the module as an argument, or leave the module out of ${PRESERVE}`,
  );

/** Returns the error for a call of a module that is no longer there. */
export const lostModule = (path: string): SconceError =>
  notUnflattenable(
    `the calls of the module "${path}" do not have one module each`,
    path,
    `leave the module, or one that calls it, out of ${PRESERVE}`,
  );

/** Returns the error for an output of a preserved call that is not computed in the call. */
export const lostOutput = (path: string, name: string): SconceError =>
  notUnflattenable(
    `Could not find output node ${name} of the module "${path}", whose call is preserved`,
    name,
    `leave the module out of ${PRESERVE}`,
  );

/** Returns the error for a call with another structure than that of the export. */
export const noAdapter = (expected: TreeSpec, given: TreeSpec): SconceError =>
  new SconceError({
    code: "NO_FLAT_ARGS_ADAPTER",
    message: `There is no flat args adapter specified. Are you sure you are calling this with the right arguments? Input treespec: ${treeSpecText(given)}. Exported module treespec: ${treeSpecText(expected)}`,
    where: "unflatten",
    fix: "give the arguments the structure of the export, or unflatten with an adapter: `unflatten(program, { adapt })`",
  });

/** Returns the error for an adapter that gives too many or too few arguments. */
export const badAdapter = (adapted: number, expected: number): SconceError =>
  new SconceError({
    code: "FLAT_ARGS_ADAPTER",
    message: `Flat args adaption failed, number of args mismatch. Adapted: ${adapted}. Exported module: ${expected}`,
    where: "flatArgsAdapter",
    fix: "return one value for each leaf of `targetSpec` from `adapt`, and one path for each from `getFlatArgPaths`",
  });

/**
 * Returns the error for a module in place of one whose calling convention is not that of the model.
 */
export const unsafeSwap = (path: string): SconceError =>
  new SconceError({
    code: "UNSAFE_SWAP",
    message: `the module "${path}" cannot be swapped: its arguments and results are not those of the original module`,
    where: path,
    fix: `export the model with \`preserveModuleCallSignature: ["${path}"]\`, and unflatten that program`,
  });

/** Arguments that do not fit the inputs of a module's graph. */
export const moduleArguments = (path: string, names: readonly string[], count: number): SconceError =>
  new SconceError({
    code: "MODULE_ARGUMENTS",
    message: `the graph of the module takes ${names.length} arguments (${names.join(", ")}), got ${count}`,
    where: path,
    fix: `give one value for each input, or preserve the arguments of the model by ${PRESERVE}`,
  });
