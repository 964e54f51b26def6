/** @file Errors of modules. */
import { describeValue, requireWord as refuseOthers, SconceError } from "@sconce/errors";

/** Returns the error for a module without `forward`. */
export const noForward = (name: string): SconceError =>
  new SconceError({
    code: "NO_FORWARD",
    message: `Module [${name}] is missing the required "forward" function`,
    where: name,
    fix: "define `forward` in the class",
  });

/** Returns the error for a path to a module that is not there; the message is PyTorch's. */
export const noSubmodule = (path: string, name: string, owner: string): SconceError =>
  new SconceError({
    code: "MODULE_PATH",
    message:
      name === ""
        ? "Cannot set the submodule without a target name!"
        : `${owner} has no attribute \`${name}\``,
    where: path,
    fix: "use a path of `module.namedModules()`",
  });

/** Returns the error for a place or a name of a container that has no module. */
export const noItem = (owner: string, key: number | string, count: number): SconceError =>
  new SconceError({
    code: "MODULE_PATH",
    message:
      typeof key === "number"
        ? `index ${key} is out of range: ${owner} has ${count} modules`
        : `${owner} has no module ${JSON.stringify(key)}`,
    where: owner,
    fix:
      typeof key === "number"
        ? "use a place that it has; `size` is their number"
        : "use a name of `keys()`, or ask `has(name)` first",
  });

/** Returns the error for a name that all modules have a member of; the message is PyTorch's. */
export const takenName = (owner: string, name: string): SconceError =>
  new SconceError({
    code: "LAYER_ARGUMENTS",
    message: `attribute '${name}' already exists`,
    where: owner,
    fix: "give the parameter, the buffer or the module another name",
  });

/** Returns the error for a place in a list that no module can have. */
export const badPlace = (where: string, place: unknown): SconceError =>
  new SconceError({
    code: "LAYER_ARGUMENTS",
    message: `${where}: ${describeValue(place)} is not a place in the list`,
    where,
    fix: "use a whole number of 0 or more; PyTorch refuses negative places too",
  });

/** Returns the error for a name that would be another place in the names of a state dict. */
export const badName = (owner: string, name: string): SconceError =>
  new SconceError({
    code: "LAYER_ARGUMENTS",
    message: name === "" ? `name can't be empty string ""` : `name can't contain ".", got: ${name}`,
    where: owner,
    fix: "give the parameter, the buffer or the module another name",
  });

/**
 * Returns the error for a value that is not a module, in a container of modules; the message is
 * PyTorch's.
 */
export const notModule = (owner: string, value: unknown): SconceError =>
  new SconceError({
    code: "LAYER_ARGUMENTS",
    message: `${describeValue(value)} is not a Module subclass`,
    where: owner,
    fix:
      typeof value === "function"
        ? "use the module of the function, `new nn.ReLU()` for `F.relu`, or call the function in `forward`"
        : "give modules, in an array where the container takes a list",
  });

/** Returns the error for a module where a list of modules is expected. */
export const moduleInsteadOfList = (name: string): SconceError =>
  new SconceError({
    code: "LAYER_ARGUMENTS",
    message: `ModuleList takes an array of modules, got the module ${name}`,
    where: "ModuleList",
    fix: "put it into an array: new nn.ModuleList([module])",
  });

/** A tensor of a state dict that has another shape. */
interface WrongSize {
  readonly name: string;
  readonly own: readonly number[];
  readonly given: readonly number[];
}

/** Returns the error for a state dict that does not fit a module, in PyTorch's words. */
export function missingState(
  name: string,
  missing: readonly string[],
  unexpected: readonly string[],
  sizes: readonly WrongSize[],
): SconceError {
  const quoted = (names: readonly string[]): string => names.map((key) => `"${key}"`).join(", ");
  const lines = [
    ...(unexpected.length > 0 ? [`Unexpected key(s) in state_dict: ${quoted(unexpected)}. `] : []),
    ...(missing.length > 0 ? [`Missing key(s) in state_dict: ${quoted(missing)}. `] : []),
    ...sizes.map(
      ({ name: key, own, given }) =>
        `size mismatch for ${key}: copying a param with shape torch.Size([${given.join(", ")}]) from checkpoint, the shape in current model is torch.Size([${own.join(", ")}]).`,
    ),
  ];
  return new SconceError({
    code: "STATE_DICT",
    message: `Error(s) in loading state_dict for ${name}:\n\t${lines.join("\n\t")}`,
    where: name,
    fix: "give every name of `module.stateDict()` with its shape, or pass { strict: false } to load what fits",
  });
}

/** More positional arguments than a layer has. */
export const extraSetting = (layer: string, names: readonly string[], count: number): SconceError =>
  new SconceError({
    code: "LAYER_ARGUMENTS",
    message: `${layer} takes ${names.length} optional arguments (${names.join(", ")}) but ${count} were given`,
    where: layer,
    fix: `give settings by name: ${layer.startsWith("init.") ? "" : "new "}nn.${layer}(..., { ${names[0]}: ... })`,
  });

/** Settings of a layer that contradict each other, in PyTorch's words. */
export const badSettings = (layer: string, message: string, fix: string): SconceError =>
  new SconceError({ code: "LAYER_ARGUMENTS", message, where: layer, fix });

/** Refuses a word that is not one of those that a setting takes, in PyTorch's words. */
export const requireWord = (layer: string, word: unknown, words: readonly string[], message: string): void =>
  refuseOthers(word, words, { code: "LAYER_ARGUMENTS", message, where: layer });

/** Returns the error for a size of a layer that is missing, or that no tensor has. */
export const badSize = (layer: string, name: string, value: unknown): SconceError =>
  new SconceError({
    code: "LAYER_ARGUMENTS",
    message:
      value === undefined
        ? `${layer} needs ${name}, which is not given`
        : `${name} of ${layer} must be a whole number from 0 on, got ${describeValue(value)}`,
    where: layer,
    fix: `give ${name} as a whole number`,
  });

/** Returns the error for a setting of a layer that has no default and is missing. */
export const missingSetting = (layer: string, name: string): SconceError =>
  new SconceError({
    code: "LAYER_ARGUMENTS",
    message: `${layer} needs ${name}, which is not given`,
    where: layer,
    fix: `give it: new nn.${layer}({ ${name}: ... })`,
  });

/** Returns the error for a hook that is not a function. */
export const hookNotFunction = (name: string, value: unknown): SconceError =>
  new SconceError({
    code: "TORCH_ARGUMENT",
    message: `${name}: ${describeValue(value)} is not a function`,
    fix: `pass a function: \`layer.${name}((module, args) => { ... })\``,
  });

/**
 * Returns the error for a result of a hook that is not arguments and keyword arguments; the message
 * is PyTorch's.
 */
export const badHookResult = (value: unknown): SconceError =>
  new SconceError({
    code: "TORCH_ARGUMENT",
    message: `forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got ${describeValue(value)}`,
    fix: "return nothing, or `[args, kwargs]`: an array, and an object",
  });

/** Returns the error for a tensor that cannot be computed as it is asked to. */
export const badParametrization = (
  message: string,
  fix = "check the name of the tensor, and what the parametrization and its `rightInverse` return",
): SconceError => new SconceError({ code: "LAYER_ARGUMENTS", message, where: "nn.utils", fix });

/** Returns the error for a name of a module that has no tensor; the message is PyTorch's. */
export const noTensor = (owner: string, name: string): SconceError =>
  badParametrization(
    `Module '${owner}' has no parameter or buffer with name '${name}'`,
    "give a name of `module.namedParameters()` without dots, and the submodule that has it",
  );

/** Returns the error for a lazy layer that a trace calls before it has parameters. */
export const uninitialized = (name: string): SconceError =>
  new SconceError({
    code: "LAYER_ARGUMENTS",
    message: `${name}: Attempted to use an uninitialized parameter`,
    where: name,
    fix: "call the model with a dummy batch before you copy or export it: `model.forward(torch.zeros(...))`",
  });
