/** @file `library.customOp`: operators of the user's, as `torch.library.custom_op` defines them. */

import { checkOptions, describeValue, markObject, type OptionNames } from "@sconce/errors";
import type { OpSchema } from "@sconce/ir";
import {
  type BoundArgs,
  bindArgs,
  type CallOf,
  defineOp,
  type FilledCallOf,
  type OpDefinition,
  type OpTag,
  type ResultOf,
  type RuntimeTypes,
  type ScalarArg,
  type SchemaTypes,
} from "@sconce/ops";
import { declareOperator } from "@sconce/source-check";
import type { Tensor } from "@sconce/tensor";
import {
  addCustomOperator,
  type CustomOperator,
  callOperator,
  convert,
  customOperator,
  customOperatorsChanged,
  customSignature,
  named,
  type OperatorArgument,
  parseCall,
  type Signature,
  type Size,
  splitKeywords,
} from "@sconce/torch";
import { COPY } from "../this-copy.js";
import { customOpDefinition, noFake, redefined } from "./errors.js";
import {
  type MutatesArgs,
  type OperatorTypes,
  type ReadSchema,
  requireName,
  schemaOfText,
  schemaOfTypes,
} from "./read-schema.js";
import { runKernel, type UserFunction } from "./run-kernel.js";
import { decompositionRule, fakeRule } from "./user-rules.js";

/** Values of a model: tensors, and sizes that may be dynamic. */
export type ModelTypes = SchemaTypes<Tensor, Size, ScalarArg>;

/** Options of every custom operator, besides its schema or types. */
interface CommonOptions {
  /** Names of the arguments that the operator writes to, or `"unknown"` for all its tensors. */
  readonly mutatesArgs: MutatesArgs;
  /** One sentence, for lists of operators. @defaultValue none */
  readonly doc?: string | undefined;
  /** Properties of the operator, such as `nondeterministic_seeded`. @defaultValue none */
  readonly tags?: readonly OpTag[] | undefined;
}

/** Options of {@link customOp} with a schema. */
export interface SchemaOptions<S extends string = string> extends CommonOptions {
  /** The schema without the name: `(Tensor x, SymInt n=1) -> Tensor`. */
  readonly schema: S;
}

/** Options of {@link customOp} with types in place of a schema. */
export interface TypeOptions extends CommonOptions, OperatorTypes {}

const OPTIONS: OptionNames<SchemaOptions & TypeOptions> = {
  schema: true,
  mutatesArgs: true,
  doc: true,
  tags: true,
  args: true,
  kwargs: true,
  returns: true,
};

/** Options of `registerDecomposition`. */
export interface DecompositionOptions {
  /**
   * Whether the default decomposition table has the entry. Otherwise the operator stays in lowered
   * programs unless a table maps it. @defaultValue true
   */
  readonly inDefaultTable?: boolean | undefined;
}

const DECOMPOSITION: OptionNames<DecompositionOptions> = { inDefaultTable: true };

/** No value has this type. It makes the compiler read `[values, indices]` as a tuple. */
type Tuple = readonly [never];

/** What a function of the user's returns for a result. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without `return` gives void
type Given<Returned> = Returned | Tuple | ([Returned] extends [undefined] ? void : never);

/** The result of a schema: nothing for `()`. */
type Result<
  S extends string,
  M extends SchemaTypes<unknown, unknown, unknown>,
> = `a::a${S}` extends infer T extends string
  ? string extends S
    ? unknown
    : ResultOf<T, M> extends null
      ? undefined
      : ResultOf<T, M>
  : never;

/**
 * An operator that a model may call. On tensors with values its kernel runs; in a trace the call
 * becomes one node. Keyword arguments are an object after the positional ones.
 */
export interface CustomOp<
  Args extends readonly unknown[] = readonly unknown[],
  Returned = unknown,
  Filled extends readonly unknown[] = Args,
> {
  (...args: Args): Returned;
  /** The name: `mylib::sin`. */
  readonly opName: string;
  /** The target of its calls in programs: `mylib.sin.default`. */
  readonly target: string;
  /** The row that a plugin takes under `ops`, with what is registered now. */
  readonly definition: OpDefinition;
  /**
   * Registers the fake. It returns results for tensors without values: exports take their dtypes
   * and sizes. Registering another fake replaces it.
   */
  registerFake(fake: (...args: Filled) => Given<Returned>): this;
  /**
   * Registers a decomposition, written with functions of `torch`. `runDecompositions` of a session
   * with the operator replaces calls by it.
   */
  registerDecomposition(
    decompose: (...args: Filled) => Given<Returned>,
    options?: DecompositionOptions,
  ): this;
}

/** A custom operator with a schema. */
export type CustomOpOf<S extends string> = CustomOp<
  string extends S ? readonly unknown[] : CallOf<S, ModelTypes>,
  Result<S, ModelTypes>,
  string extends S ? readonly never[] : FilledCallOf<S, ModelTypes>
>;

/** The kernel of a schema. */
type KernelOf<S extends string> = (
  ...args: string extends S ? readonly never[] : FilledCallOf<S, RuntimeTypes>
) => Given<Result<S, RuntimeTypes>>;

const registrations = new WeakMap<object, Registration>();

/** Returns what is registered for a custom operator; undefined for other values. */
export const registrationOf = (value: unknown): Registration | undefined =>
  typeof value === "function" ? registrations.get(value) : undefined;

/**
 * Defines an operator (`torch.library.custom_op`). Models call the result like a function of
 * `torch`. Defining an operator of the same name again replaces it.
 *
 * @param kernel computes the results from tensors with values; it must not return its arguments
 * @throws SconceError `CUSTOM_OP` for a name, a schema or types that PyTorch refuses
 * @example library.customOp("mylib::sin", { schema: "(Tensor x) -> Tensor", mutatesArgs: [] }, (x)
 * => x.sin())
 */
export function customOp<const S extends string>(
  name: string,
  options: SchemaOptions<S>,
  kernel: KernelOf<S>,
): CustomOpOf<S>;
/** As above, with the types of the arguments and of the result: those of the function. */
export function customOp<F extends (...args: never[]) => unknown>(
  name: string,
  options: TypeOptions,
  kernel: F,
): CustomOp<Parameters<F>, ReturnType<F>>;
export function customOp(name: string, options: SchemaOptions | TypeOptions, kernel: UserFunction): CustomOp {
  requireName(name);
  checkOptions("library.customOp", options, OPTIONS);
  const read = readSchema(name, options as Partial<SchemaOptions & TypeOptions>);
  if (typeof kernel !== "function")
    throw customOpDefinition(
      name,
      `the kernel is ${describeValue(kernel)}`,
      "give the function that computes the results as the third argument",
    );
  return makeOperator(new Registration(name, read, kernel, options));
}

function readSchema(
  name: string,
  { schema, mutatesArgs, args, kwargs, returns }: Partial<SchemaOptions & TypeOptions>,
): ReadSchema {
  const isList = Array.isArray(mutatesArgs) && mutatesArgs.every((one) => typeof one === "string");
  if (mutatesArgs === undefined || !(isList || mutatesArgs === "unknown"))
    throw customOpDefinition(
      name,
      "mutates_args must either be a sequence of the names of the arguments that are mutated or the string 'unknown'.",
      "give `mutatesArgs: []` for an operator that writes to none of its arguments",
    );
  if ((schema === undefined) === (args === undefined))
    throw customOpDefinition(
      name,
      schema === undefined ? "has neither a schema nor types" : "has a schema and types",
      'give either `schema: "(Tensor x) -> Tensor"`, or `args: { x: "Tensor" }` and `returns: "Tensor"`',
    );
  if (schema === undefined)
    return schemaOfTypes(name, { args: args!, kwargs, returns: returns as never }, mutatesArgs);
  if (typeof schema !== "string" || kwargs !== undefined || returns !== undefined)
    throw customOpDefinition(
      name,
      typeof schema === "string" ? "has a schema and types" : `the schema is ${describeValue(schema)}`,
      'give the schema as text: "(Tensor x) -> Tensor"',
    );
  return schemaOfText(name, schema, mutatesArgs);
}

/** What is registered for an operator, and the rules made of it. */
class Registration implements CustomOperator {
  readonly name: string;
  readonly schema: OpSchema;
  readonly kernel: UserFunction;
  readonly text: string;
  readonly #doc: string | undefined;
  readonly #tags: readonly OpTag[];
  #fake: UserFunction | undefined;
  #decompose: UserFunction | undefined;
  #isInTable = true;
  #definition: OpDefinition | undefined;

  constructor(name: string, { schema, text }: ReadSchema, kernel: UserFunction, options: CommonOptions) {
    this.name = name;
    this.schema = schema;
    this.kernel = kernel;
    this.text = text;
    this.#doc = options.doc;
    this.#tags = options.tags ?? [];
    this.#fake = trivialFake(schema);
  }

  /** The row that sessions take. */
  get definition(): OpDefinition {
    this.#definition ??= this.#define();
    return this.#definition;
  }

  #define(): OpDefinition {
    const meta = this.#fake && fakeRule(this, this.#fake);
    const decompose = this.#decompose && decompositionRule(this, this.#decompose);
    const tags = [...this.#tags];
    if (!this.#isInTable) tags.push("not_in_default_table");
    if (meta === undefined && decompose === undefined) tags.push("without_fake");
    return defineOp({
      schema: this.text,
      tags,
      ...(this.#doc === undefined ? {} : { doc: this.#doc }),
      ...(meta === undefined ? {} : { meta: meta }),
      ...(decompose === undefined ? {} : { decompose: decompose }),
    });
  }

  /** The row that traces record calls by: without a fake they refuse them, as PyTorch does. */
  get row(): OpDefinition {
    const { definition, name } = this;
    if (definition.meta !== undefined || definition.decompose !== undefined) return definition;
    const meta = (): never => {
      throw noFake(name);
    };
    return Object.freeze({ ...definition, meta });
  }

  run(args: readonly unknown[], kwargs: Readonly<Record<string, unknown>>): unknown {
    return this.runBound(bindArgs(this.schema, args, kwargs));
  }

  /** Runs the kernel on bound arguments. */
  runBound(bound: BoundArgs): unknown {
    return runKernel(this.name, this.schema, this.kernel, bound);
  }

  registerFake(fake: unknown): void {
    this.#change();
    this.#fake = requireFunction(this.name, "fake", fake);
  }

  registerDecomposition(decompose: unknown, options: DecompositionOptions): void {
    checkOptions("registerDecomposition", options, DECOMPOSITION);
    this.#change();
    this.#decompose = requireFunction(this.name, "decomposition", decompose);
    this.#isInTable = options.inDefaultTable ?? true;
  }

  #change(): void {
    if (customOperator(this.schema.target) !== this) throw redefined(this.name);
    this.#definition = undefined;
    customOperatorsChanged();
  }
}

/** Returns a function that calls an operator by its schema. */
export function callableOf(
  name: string,
  schema: OpSchema,
  text: string,
): (...given: readonly unknown[]) => unknown {
  const signature = customSignature(schema);
  const callable = (...given: readonly unknown[]): unknown => callCustom(name, signature, given);
  Object.defineProperty(callable, "name", { value: schema.name });
  declareOperator(callable, text.slice(text.lastIndexOf("->") + 2).trim());
  return callable;
}

function makeOperator(registration: Registration): CustomOp {
  const { name, schema } = registration;
  const { target } = schema;
  const operator = Object.assign(callableOf(name, schema, registration.text), {
    opName: name,
    target,
    registerFake(fake: unknown) {
      registration.registerFake(fake);
      return operator;
    },
    registerDecomposition(decompose: unknown, options: DecompositionOptions = {}) {
      registration.registerDecomposition(decompose, options);
      return operator;
    },
  });
  Object.defineProperty(operator, "definition", { get: () => registration.definition, enumerable: true });
  markObject(operator, `operator ${name}`, COPY);
  registrations.set(operator, registration);
  addCustomOperator(target, registration);
  return operator as CustomOp;
}

/**
 * Returns a fake for an operator that writes to arguments and returns nothing, which needs none of
 * the user's (`can_generate_trivial_fake_impl`); undefined for others.
 */
const trivialFake = ({ isMutable, returns }: OpSchema): UserFunction | undefined =>
  isMutable && returns.length === 0 ? () => null : undefined;

function requireFunction(name: string, what: string, given: unknown): UserFunction {
  if (typeof given !== "function")
    throw customOpDefinition(name, `the ${what} is ${describeValue(given)}`, "give a function");
  return given as UserFunction;
}

/** The arguments of an operator call. */
export interface OperatorCall {
  readonly args: readonly OperatorArgument[];
  readonly kwargs: Readonly<Record<string, OperatorArgument>>;
}

/**
 * Returns the arguments that a call of the user's gives, in the order of the schema.
 *
 * @throws SconceError `NO_SIGNATURE`
 */
export function parseOperatorCall(
  name: string,
  signature: Signature,
  given: readonly unknown[],
): OperatorCall {
  const call = splitKeywords(given);
  const { values } = parseCall(name, [signature], call.args, call.kwargs, given);
  const args: OperatorArgument[] = [];
  const kwargs: Record<string, OperatorArgument> = {};
  signature.parameters.forEach((parameter, i) => {
    const value = values[i];
    const converted = value === undefined || value === null ? (value as null) : convert(parameter, value);
    if (!parameter.keywordOnly) args.push(converted);
    else if (converted !== undefined) kwargs[parameter.name] = converted;
  });
  while (args.length > 0 && args.at(-1) === undefined) args.pop();
  return { args, kwargs };
}

/** Calls an operator as PyTorch's `OpOverload` does. */
function callCustom(name: string, signature: Signature, given: readonly unknown[]): unknown {
  const { schema } = signature;
  const { args, kwargs } = parseOperatorCall(name, signature, given);
  const result = named(`${schema.name}.${schema.overload}`, "OpOverload", () =>
    callOperator(schema.target, args, kwargs),
  );
  return schema.returns.length === 0 ? undefined : result;
}
