/** @file Errors of `exportProgram`. */
import { describeValue, misspelled, SconceError } from "@sconce/errors";

/** Arguments that are not an array. */
export const badArguments = (args: unknown): SconceError =>
  new SconceError({
    code: "EXPORT_ARGUMENTS",
    message: `Expecting \`args\` to be an array of example positional inputs, got ${describeValue(args)}`,
    fix: "give the example arguments as an array: `exportProgram(model, [x])`",
  });

/** Keyword arguments that are not an object of them. */
export const badKeywords = (kwargs: unknown): SconceError =>
  new SconceError({
    code: "EXPORT_ARGUMENTS",
    message: `Expecting \`kwargs\` to be an object of example keyword inputs, got ${describeValue(kwargs)}`,
    fix: "give them by name: `exportProgram(model, [x], { kwargs: { mask } })`",
  });

/** Returns the error for a keyword argument with the name of a positional parameter. */
export const positionalKeyword = (name: string): SconceError =>
  new SconceError({
    code: "EXPORT_ARGUMENTS",
    message: `\`kwargs\` has ${name}, which is a positional parameter`,
    where: name,
    fix: `give ${name} in \`args\`, or declare the parameter as a pattern: \`forward(x, { ${name} })\``,
  });

/** Keyword arguments for a model that takes none. */
export const unexpectedKeywords = (names: readonly string[], count: number): SconceError =>
  new SconceError({
    code: "EXPORT_ARGUMENTS",
    message: `the model has ${count} parameter${count === 1 ? "" : "s"}, and takes no keyword arguments; got ${names.join(", ")}`,
    fix: `take them in an object behind the others: \`forward(x, { ${names[0]} })\``,
  });

/** Returns the error for a keyword argument that the model does not declare, in Python's words. */
export const unexpectedKeyword = (name: string, known: readonly string[]): SconceError =>
  new SconceError({
    code: "EXPORT_ARGUMENTS",
    message: `got an unexpected keyword argument '${name}'; the model takes ${known.join(", ") || "none"}`,
    where: name,
    ...misspelled(
      name,
      known,
      `declare it in the last parameter of the model: \`{ ${[...known, name].join(", ")} }\``,
    ),
  });

/** More positional arguments than the model declares parameters, in Python's words. */
export const tooManyArguments = (count: number, known: readonly string[]): SconceError =>
  new SconceError({
    code: "EXPORT_ARGUMENTS",
    message: `too many positional arguments: got ${count}, and the model takes ${known.length}${known.length === 0 ? "" : ` (${known.join(", ")})`}`,
    fix: "remove what the model does not take, or declare a parameter for each argument; `...args` takes any number",
  });

/** Returns the error for a class in place of an instance. */
export const classGiven = (name: string): SconceError =>
  new SconceError({
    code: "EXPORT_ARGUMENTS",
    message: `Expected \`mod\` to be a module or a function, got the class ${name}`,
    fix: `pass an instance: \`exportProgram(new ${name}(...), [x])\``,
  });

/** Returns the error for what is neither a module nor a function. */
export const notExportable = (target: unknown): SconceError =>
  new SconceError({
    code: "EXPORT_ARGUMENTS",
    message: `Expected \`mod\` to be a module or a function, got ${describeValue(target)}`,
    fix: "pass an `nn.Module` or a function of tensors",
  });

/** Returns the error for a tensor that is assigned to a parameter, in PyTorch's words. */
export const assignedParameter = (path: string): SconceError =>
  new SconceError({
    code: "ASSIGNED_PARAMETER",
    message: `cannot assign a tensor as parameter '${path}' (nn.Parameter or null expected)`,
    where: path,
    fix: `write into it with \`torch.noGrad(() => this.${path}.copy_(value))\`, or register it as a buffer`,
  });

/** Returns the error for a buffer that is assigned to another one, which is assigned as well. */
export const exchangedBuffers = (path: string, other: string): SconceError =>
  new SconceError({
    code: "ASSIGNED_BUFFER",
    message: `the buffer '${path}' gets the memory of the buffer '${other}', which is assigned as well`,
    where: path,
    fix: `assign a copy: \`this.${path} = this.${other}.clone()\``,
  });

/** Returns the error for a strict export without the check of the source. */
export const strictWithoutSource = (): SconceError =>
  new SconceError({
    code: "EXPORT_OPTION",
    message: "a strict export checks the source, and `checkSource` is false",
    where: "checkSource",
    fix: "leave `checkSource` out, or export with `strict: false`",
  });

/**
 * Returns the error for a path whose calling convention is to be preserved, and that the model does
 * not have.
 */
export const noModule = (path: string, root: string): SconceError =>
  new SconceError({
    code: "MODULE_PATH",
    message: `'${root}' object has no attribute '${path}'`,
    where: "preserveModuleCallSignature",
    fix: "give paths of submodules as `model.namedModules()` lists them",
  });

/**
 * Returns the error for a module whose preserved name is not the one that several calls use; a
 * `KeyError` of PyTorch.
 */
export const calledOtherwise = (path: string, called: string): SconceError =>
  new SconceError({
    code: "MODULE_PATH",
    message: `the module "${path}" is also "${called}", and the model calls it by that several times`,
    where: "preserveModuleCallSignature",
    fix: `give "${called}", too`,
  });

/** Calls of one module that differ in their structure, in PyTorch's words. */
export const changedConvention = (
  path: string,
  part: "inSpec" | "outSpec",
  first: string,
  now: string,
): SconceError =>
  new SconceError({
    code: "MODULE_CALL",
    message: `${part === "inSpec" ? "in_spec" : "out_spec"} mismatch for ${path}: ${first} != ${now}`,
    where: path,
    fix: "call the module with one structure of arguments, or leave it out of `preserveModuleCallSignature`",
  });

/**
 * Returns the error for a value that a preserved call takes or gives, and that it cannot record.
 */
export const unsupportedCallLeaf = (path: string, leaf: unknown): SconceError =>
  new SconceError({
    code: "MODULE_CALL",
    message: `Only Tensors or scalars are supported as pytree flattened inputs, got: ${describeValue(leaf)}`,
    where: path,
    fix: "pass tensors and static numbers, or leave the module out of `preserveModuleCallSignature`",
  });

/** Returns the error for a table of `asRecorded` that gives other things than numbers. */
export const badRecording = (base: string): SconceError =>
  new SconceError({
    code: "EXPORT_OPTION",
    message: `the numbers of "${base}" are not a list of integers and nulls`,
    where: "asRecorded",
    fix: "write `[null, 2]` for a name without a number and one with the number 2",
  });

/** Containers of `asRecorded` for another number of values than the model takes or gives. */
export const otherTree = (wanted: number, count: number): SconceError =>
  new SconceError({
    code: "EXPORT_OPTION",
    message: `the containers have ${wanted} values, and those of the model ${count}`,
    where: "asRecorded",
    fix: "remove `inSpec` and `outSpec`: the export then has the containers of JavaScript",
  });
