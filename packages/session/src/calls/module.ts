import { checkOptions, describeValue, platformClass } from "@sconce/errors";
import {
  type Executable,
  type ExportedProgram,
  FakeTensor,
  type IntLike,
  type PytreeRegistry,
  RUN_OPTIONS,
  type RunOptions,
  unflattenTree,
  type Value,
} from "@sconce/ir";
import {
  callingConvention,
  disposed,
  flattenCall,
  keywordsOf,
  positionalNames,
  userLeaves,
} from "@sconce/ops";
import { type DType, type NumericArray, showsAsText, Tensor } from "@sconce/tensor";
import { notArguments, unknownArgument } from "./errors.js";
import { type ImagePixels, isTensorLike, typedInputs } from "./typed-inputs.js";

/** One value that a module takes: a tensor or a scalar, of an argument or of a container in one. */
export interface ModuleInput {
  /** The name of the placeholder: `x`, `kwargs_y`. */
  readonly name: string;
  /** The argument that holds it: its name, or `args_0` where the program does not name it. */
  readonly argument: string;
  /** Whether the argument is given by position or by its name. */
  readonly kind: "positional" | "keyword";
  /** Where it lies, as errors name it: `*args[0]`, `y['key'][0]`. */
  readonly place: string;
  /** The dtype of a tensor; undefined for other values, and where the program does not say. */
  readonly dtype: DType | undefined;
  /** The sizes of a tensor, symbolic where they are dynamic; undefined as for `dtype`. */
  readonly shape: readonly IntLike[] | undefined;
}

/** A program that is called as the Python module was: positional arguments, then keywords. */
export interface ProgramModule {
  /**
   * Calls with all arguments by their names: `module.call({ x })`. `sconce types` writes the types
   * of a program.
   */
  call(inputs: Readonly<Record<string, unknown>>, options?: RunOptions): Promise<unknown>;
  /** Calls a program of one argument with that argument: `module.call(x)`. */
  call(input: Tensor | NumericArray | ImagePixels, options?: RunOptions): Promise<unknown>;
  /**
   * Calls a program of one positional argument with that argument and the keywords:
   * `module.call(x, { mask })`.
   */
  call(
    input: Tensor | NumericArray | ImagePixels,
    kwargs: Readonly<Record<string, unknown>>,
    options?: RunOptions,
  ): Promise<unknown>;
  /**
   * Calls with positional and keyword arguments, containers as arrays, objects and Maps; returns
   * the outputs likewise. A typed array may represent a tensor where its class holds the dtype, and
   * all sizes but one are fixed: the tensor is over its memory (`INPUT_ARRAY` where it is not
   * clear). An `ImageData` may represent the pixels, uint8 of the shape `[height, width, 4]`.
   */
  call(
    args: readonly unknown[],
    kwargs?: Readonly<Record<string, unknown>>,
    options?: RunOptions,
  ): Promise<unknown>;
  /** The same with the outputs' leaves in order, not put back into containers. */
  callFlat(
    args: readonly unknown[],
    kwargs?: Readonly<Record<string, unknown>>,
    options?: RunOptions,
  ): Promise<readonly Value[]>;
  /** Names of the arguments: those given by position, in order, then the keywords. */
  readonly argumentNames: readonly string[];
  /** The values that the arguments hold, flattened, with dtypes and shapes where they are known. */
  readonly inputs: readonly ModuleInput[];
  /** The compiled program. */
  readonly executable: Executable;
  /**
   * Current parameters, buffers and constants; buffers that the program mutates change from call to
   * call.
   */
  readonly state: ReadonlyMap<string, Tensor>;
  /** Frees what the compiled program holds; later calls are refused (`DISPOSED`). */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** @throws SconceError `NO_CALLING_CONVENTION` */
export function createModule(
  program: ExportedProgram,
  executable: Executable,
  types?: PytreeRegistry,
): ProgramModule {
  const { inSpec, outSpec } = callingConvention(program);
  const tensorsOf = typedInputs(program);
  const described = argumentsOf(program);
  const names = described.argumentNames.slice(0, inSpec.children[0]?.children.length ?? 0);
  let isDisposed = false;
  const run = async (
    args: readonly unknown[],
    kwargs: Readonly<Record<string, unknown>>,
    options?: RunOptions,
  ): Promise<readonly Value[]> => {
    if (isDisposed) throw disposed("the module");
    checkOptions("the call of a module", options, RUN_OPTIONS);
    return executable.run(tensorsOf(flattenCall(program, args, kwargs, types)), options);
  };
  /** Arguments that are not a list, by their names. @throws SconceError `INVALID_ARGUMENT` */
  const namedArguments = (given: unknown): Readonly<Record<string, unknown>> => {
    const [only, ...others] = described.argumentNames;
    if (only !== undefined && others.length === 0 && isTensorLike(given)) return { [only]: given };
    if (isKeywords(given)) return knownArguments(given, described.argumentNames);
    throw notArguments(givenText(given), names, described.argumentNames);
  };
  const dispose = (): void => {
    if (isDisposed) return;
    isDisposed = true;
    executable.dispose();
  };
  const module: ProgramModule = {
    executable,
    state: executable.state,
    ...described,
    callFlat: async (args, kwargs = {}, options) => {
      if (!Array.isArray(args)) throw notArguments(givenText(args), names, described.argumentNames);
      return run(args, kwargs, options);
    },
    call: async (first: unknown, ...rest: readonly [unknown?, unknown?]) => {
      const given = takesOne(described.argumentNames, names.length, first, rest) ? [first] : first;
      if (!Array.isArray(given) && (isTensorLike(rest[0]) || Array.isArray(rest[0])))
        throw notArguments("several values, one after the other", names, described.argumentNames);
      const [args, kwargs, options] = Array.isArray(given)
        ? ([given, rest[0] === undefined ? {} : rest[0], rest[1]] as const)
        : ([...byPosition(names, namedArguments(given)), rest[0]] as const);
      const values = await run(args, kwargs as Readonly<Record<string, unknown>>, options as RunOptions);
      return unflattenTree(values, outSpec, types);
    },
    dispose,
    [Symbol.dispose]: dispose,
  };
  const text = (): string => moduleText(described, names.length);
  Object.defineProperty(module, "toString", { value: text });
  showsAsText(module);
  return module;
}

/** Returns whether a tensor represents the list of it, with keywords or options behind. */
const takesOne = (
  all: readonly string[],
  positional: number,
  given: unknown,
  [kwargs, options]: readonly [unknown?, unknown?],
): boolean =>
  positional === 1 && isTensorLike(given) && (all.length > 1 ? isKeywords(kwargs) : options !== undefined);

/** Returns the call and the inputs, as `console.log` shows a module. */
function moduleText(
  { argumentNames, inputs }: Pick<ProgramModule, "argumentNames" | "inputs">,
  count: number,
): string {
  const keywords = argumentNames.slice(count).join(", ");
  const list = `[${argumentNames.slice(0, count).join(", ")}]`;
  const lines = inputs.map(({ name, kind, dtype, shape }) => {
    const type = dtype === undefined ? "a value" : `${dtype}[${shape!.join(", ")}]`;
    return `    ${name}: ${type}${kind === "keyword" ? " (keyword)" : ""}`;
  });
  return ["ProgramModule:", `    call(${list}${keywords === "" ? "" : `, { ${keywords} }`})`, ...lines].join(
    "\n",
  );
}

const givenText = (given: unknown): string =>
  given instanceof Tensor
    ? "a tensor"
    : isTensorLike(given) && platformClass(given) === undefined
      ? "an ImageData"
      : describeValue(given);

const isKeywords = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !isTensorLike(value) &&
  platformClass(value) === undefined;

/** Arguments by name, if the program has all these names. @throws SconceError `KEYWORD_MISMATCH` */
function knownArguments<T extends object>(given: T, names: readonly string[]): T {
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return given;
  throw unknownArgument(
    unknown,
    names,
    names.filter((name) => !Object.hasOwn(given, name)),
  );
}

/** Arguments by name as those by position, and the rest. */
function byPosition(
  names: readonly string[],
  given: Readonly<Record<string, unknown>>,
): [args: unknown[], kwargs: Record<string, unknown>] {
  const positional = new Set(names);
  const args = names.filter((name) => Object.hasOwn(given, name)).map((name) => given[name]);
  const kwargs = Object.fromEntries(Object.entries(given).filter(([name]) => !positional.has(name)));
  return [args, kwargs];
}

function argumentsOf(program: ExportedProgram): Pick<ProgramModule, "argumentNames" | "inputs"> {
  const convention = callingConvention(program);
  const inputs = userLeaves(program).map(({ name, root, place }): ModuleInput => {
    const val = program.graph.find(name)?.meta.val;
    const tensor = val instanceof FakeTensor ? val : undefined;
    const kind = place.startsWith("*args[") ? "positional" : "keyword";
    return { name, argument: root, kind, place, dtype: tensor?.dtype, shape: tensor?.shape };
  });
  return {
    argumentNames: Object.freeze([...positionalNames(convention), ...keywordsOf(convention.inSpec)]),
    inputs: Object.freeze(inputs),
  };
}
