/** @file Calls of modules with other parameters and buffers (`torch.func.functional_call`). */
import { checkOptions, describeValue, type OptionNames } from "@sconce/errors";
import { Tensor } from "@sconce/tensor";
import { currentTrace } from "../trace/dispatch.js";
import { runAtOnce } from "../trace/run-at-once.js";
import { isStateGetter, withoutNotes } from "../trace/state-reads.js";
import { invalidArgument } from "./errors.js";

/** A module with named state. */
export interface NamedState {
  namedParameters(options?: { readonly removeDuplicate?: boolean }): readonly (readonly [string, Tensor])[];
  namedBuffers(options?: { readonly removeDuplicate?: boolean }): readonly (readonly [string, Tensor])[];
}

/** A module, as far as it is called with other state. */
interface StatefulModule<Args extends readonly unknown[], Result> extends NamedState {
  (...args: Args): Result;
}

/** Tensors by their fully qualified names; null for a buffer that has none. */
type StateByName = ReadonlyMap<string, Tensor | null> | Readonly<Record<string, Tensor | null>>;

/** Options of `torch.func.functionalCall`. */
export interface FunctionalCallOptions {
  /**
   * Whether a tensor that is given for one name replaces a tensor of the module under all its
   * names.
   * @defaultValue true
   */
  readonly tieWeights?: boolean | undefined;
  /**
   * Whether missing and unexpected names are refused. Otherwise the module keeps its own tensor
   * where none is given, and an unexpected name is a property during the call. @defaultValue false
   */
  readonly strict?: boolean | undefined;
}

const OPTIONS: OptionNames<FunctionalCallOptions> = { tieWeights: true, strict: true };

const badCall = (problem: string, fix: string): Error => invalidArgument("functionalCall", problem, fix);

const isModule = (value: unknown): value is object & NamedState =>
  typeof value === "function" && typeof (value as Partial<NamedState>).namedParameters === "function";

/** Returns the text of a value that is not what is expected. */
const textOf = (value: unknown): string =>
  value instanceof Tensor || isModule(value) ? String(value) : describeValue(value);

const isRecord = (value: unknown): value is StateByName =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Tensor);

const entriesOf = (state: StateByName): [string, Tensor | null][] =>
  state instanceof Map ? [...(state as Map<string, Tensor | null>)] : Object.entries(state);

/** Returns the tensors of one state or of several, by name. @throws SconceError `TORCH_ARGUMENT` */
function tensorsOf(state: StateByName | readonly StateByName[]): Map<string, Tensor | null> {
  const fix = "pass tensors by their names, each once";
  const states = (Array.isArray(state) ? state : [state]) as readonly StateByName[];
  if (!Array.isArray(state) && !isRecord(state))
    throw badCall(
      `Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got ${describeValue(state)}`,
      fix,
    );
  if (!states.every(isRecord))
    throw badCall("Expected all elements of parameter_and_buffer_dicts to be dictionaries", fix);
  const entries = states.flatMap(entriesOf);
  const tensors = new Map(entries);
  if (tensors.size !== entries.length) {
    const names = entries.map(([name]) => name);
    const repeated = [...tensors.keys()].filter((name) => names.indexOf(name) !== names.lastIndexOf(name));
    throw badCall(
      `${listOf(repeated)} appeared in multiple dictionaries; behavior of functional call is ambiguous`,
      fix,
    );
  }
  for (const [name, value] of tensors)
    if (!(value instanceof Tensor) && value !== null)
      throw badCall(
        `${JSON.stringify(name)}: ${describeValue(value)} is not an instance of torch.Tensor`,
        fix,
      );
  return tensors;
}

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");
const listOf = (names: readonly string[]): string => `[${quoted(names)}]`;

/** Reads state of the module: strict exports note that, as TorchDynamo does. */
const read = <T>(run: () => T): T => (currentTrace()?.isStrict === true ? run() : withoutNotes(run));

/** Returns the state of a module under all its names. */
const namedTensors = (module: NamedState): Map<string, Tensor> =>
  read(
    () =>
      new Map([
        ...module.namedParameters({ removeDuplicate: false }),
        ...module.namedBuffers({ removeDuplicate: false }),
      ]),
  );

/** Adds the other names of the tensors that are given. @throws SconceError `TORCH_ARGUMENT` */
function untied(
  own: ReadonlyMap<string, Tensor>,
  given: ReadonlyMap<string, Tensor | null>,
): Map<string, Tensor | null> {
  const all = new Map(given);
  const names = new Map<Tensor, string[]>();
  for (const [name, tensor] of own) names.set(tensor, [...(names.get(tensor) ?? []), name]);
  for (const [name, value] of given) {
    const tied = names.get(own.get(name)!) ?? [];
    if (tied.some((other) => given.has(other) && given.get(other) !== value))
      throw badCall(
        `functional_call got multiple values for keys ${listOf(tied.toSorted())}, which are tied. Consider using tie_weights=False`,
        "give one value for all names of the tensor, or pass `{ tieWeights: false }` as the fifth argument",
      );
    for (const other of tied) all.set(other, value);
  }
  return all;
}

/** Refuses names that are missing or unexpected. @throws SconceError `TORCH_ARGUMENT` */
function requireAll(
  module: object,
  own: ReadonlyMap<string, Tensor>,
  given: ReadonlyMap<string, unknown>,
): void {
  const unexpected = [...given.keys()].filter((name) => !own.has(name)).toSorted();
  const missing = [...own.keys()].filter((name) => !given.has(name)).toSorted();
  const problems = [
    ...(unexpected.length > 0 ? [`Unexpected key(s): ${quoted(unexpected)}.`] : []),
    ...(missing.length > 0 ? [`Missing key(s): ${quoted(missing)}.`] : []),
  ];
  if (problems.length > 0)
    throw badCall(
      `Error(s) in reparametrizing for ${module.constructor.name}:\n\t${problems.join("\n\t")}`,
      "give all names of `namedParameters()` and `namedBuffers()`, and no others, or leave `strict` out",
    );
}

const NAMES_FIX = "use names of `namedParameters()` and `namedBuffers()`";

/** Returns the module that has the tensor of a name. @throws SconceError `TORCH_ARGUMENT` */
function ownerOf(root: object, names: readonly string[]): object {
  let module = root;
  for (const [i, name] of names.entries()) {
    if (!(name in module))
      throw badCall(`${module.constructor.name} has no attribute \`${name}\``, NAMES_FIX);
    const next = (module as Record<string, unknown>)[name];
    if (!isModule(next))
      throw badCall(
        `submodule \`${names.slice(0, i + 1).join(".")}\`: ${textOf(next)} is not an instance of torch.nn.Module`,
        NAMES_FIX,
      );
    module = next;
  }
  return module;
}

/** A property that has another value during the call. */
interface Swap {
  /** Returns the value that the property has now. */
  readonly now: () => unknown;
  readonly putBack: () => void;
}

/** Gives a tensor of a module another value. @throws SconceError `TORCH_ARGUMENT` */
function swap(root: object, path: string, value: Tensor | null): Swap {
  const names = path.split(".");
  const name = names.pop()!;
  if (name === "") throw badCall('tensor name can\'t be empty string ""', NAMES_FIX);
  const fields = read(() => ownerOf(root, names)) as Record<string, unknown>;
  const property = Object.getOwnPropertyDescriptor(fields, name);
  const before = read(() => fields[name]);
  if (name in fields && !(before instanceof Tensor) && before !== null)
    throw badCall(`attribute \`${name}\`: ${textOf(before)} is not an instance of torch.Tensor`, NAMES_FIX);
  const now = (): unknown => withoutNotes(() => fields[name]);
  // A parametrization computes what it is computed from.
  if (property?.get !== undefined && !isStateGetter(property.get)) {
    const set = (next: unknown): void => {
      fields[name] = next;
    };
    set(value);
    return { now, putBack: () => set(before) };
  }
  Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
  return {
    now,
    putBack: () => {
      if (property === undefined) Reflect.deleteProperty(fields, name);
      else Object.defineProperty(fields, name, property);
    },
  };
}

/** Calls the module while its properties have other values. */
function callWith<T>(
  module: object,
  values: ReadonlyMap<string, Tensor | null>,
  run: () => T,
  done: (swaps: ReadonlyMap<string, Swap>) => void,
): T {
  const swaps = new Map<string, Swap>();
  try {
    for (const [path, value] of values) swaps.set(path, swap(module, path, value));
    return runAtOnce("functionalCall", run);
  } finally {
    if (swaps.size === values.size) done(swaps);
    for (const { putBack } of [...swaps.values()].reverse()) putBack();
  }
}

/** Writes what the module assigned to its state into the state that was given. */
function writeBack(state: StateByName, swaps: ReadonlyMap<string, Swap>): void {
  for (const [name, given] of entriesOf(state)) {
    const now = swaps.get(name)!.now() as Tensor | null;
    if (now === given) continue;
    if (state instanceof Map) state.set(name, now);
    else if (!Reflect.set(state, name, now))
      throw badCall(
        `the module assigns ${JSON.stringify(name)}, and the state that is given cannot take it`,
        "pass an object that is not frozen",
      );
  }
}

/** Returns the arguments of the call. @throws SconceError `TORCH_ARGUMENT` */
function argumentsOf(args: unknown, kwargs: unknown): readonly unknown[] {
  const given = Array.isArray(args) ? args : args === undefined || args === null ? [] : [args];
  if (kwargs === undefined || kwargs === null) return given as readonly unknown[];
  if (!isRecord(kwargs) || kwargs instanceof Map)
    throw badCall(
      `the keyword arguments are ${describeValue(kwargs)}`,
      "pass an object, or put all arguments into the list of arguments",
    );
  const option = Object.keys(kwargs).find((name) => Object.hasOwn(OPTIONS, name));
  if (option !== undefined)
    throw badCall(
      `the keyword arguments have the name of an option, ${JSON.stringify(option)}`,
      "pass options as the fifth argument, `functionalCall(module, state, args, null, options)`; pass a keyword argument of this name in an object as the last of the arguments",
    );
  return Object.keys(kwargs).length === 0 ? (given as readonly unknown[]) : [...(given as unknown[]), kwargs];
}

/**
 * Calls a module with other parameters and buffers, by their fully qualified names; those that are
 * not given are the module's own (`torch.func.functional_call`). What the module assigns to a
 * tensor that is given replaces it in `state`, where that is one object or map.
 *
 * @param state tensors by name, or a list of such states
 * @param args the arguments of the call, with keyword arguments in an object behind them. A value
 * that is not a list is the only argument
 * @param kwargs keyword arguments, which follow the others
 * @throws SconceError `TORCH_ARGUMENT` for names of what is not a tensor, for different values of
 * tied weights, and with `strict` for missing and unexpected names
 *
 * @example const y = torch.func.functionalCall(this.layer, { weight }, [x]);
 */
export function functionalCall<Args extends readonly unknown[], Result>(
  module: StatefulModule<Args, Result>,
  state: StateByName | readonly StateByName[],
  args?: Args | Args[0] | readonly unknown[],
  kwargs?: Readonly<Record<string, unknown>> | null,
  options: FunctionalCallOptions = {},
): Result {
  if (!isModule(module)) throw badCall(`the module is ${describeValue(module)}`, "pass a module");
  checkOptions("functionalCall", options, OPTIONS);
  const given = argumentsOf(args, kwargs);
  const tensors = tensorsOf(state);
  const tieWeights = options.tieWeights ?? true;
  const strict = options.strict ?? false;
  const own = tieWeights || strict ? namedTensors(module) : new Map<string, Tensor>();
  const values = tieWeights ? untied(own, tensors) : tensors;
  if (strict) requireAll(module, own, values);
  return callWith(
    module,
    values,
    () => module(...(given as Args)),
    (swaps) => {
      if (!Array.isArray(state)) writeBack(state as StateByName, swaps);
    },
  );
}
