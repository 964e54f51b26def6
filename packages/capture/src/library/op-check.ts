/**
 * @file `library.opCheck`: the parts of an operator compared on samples, as
 * `torch.library.opcheck`.
 */

import { createEvaluator } from "@sconce/backend-cpu";
import { checkOptions, describeValue, isSconceError, type OptionNames, thrownText } from "@sconce/errors";
import { kindOf } from "@sconce/ir";
import { type BoundArgs, bindArgs, metaOfBound } from "@sconce/ops";
import { ShapeEnv } from "@sconce/symbolic";
import { Storage, Tensor } from "@sconce/tensor";
import { sameBytes, tensorDifference } from "@sconce/tensor/compare";
import { customSignature, fakeOf, modelOperators, tensorsIn } from "@sconce/torch";
import { Dim } from "../dynamic/index.js";
import { exportProgram } from "../export/export-program.js";
import { compareResults } from "./compare-results.js";
import { type OperatorCall, parseOperatorCall, registrationOf } from "./custom-op.js";
import { badSamples, noFake, notCustomOp, opCheckFailed } from "./errors.js";
import { operators } from "./plugin.js";
import { sampleCalls } from "./sample-arguments.js";

/**
 * The parts of the check: writes and memory of the kernel against the schema, the fake against the
 * kernel, an export with dynamic sizes, and the decomposition against the kernel.
 */
export type OpCheckName = "schema" | "fake" | "dynamic" | "decomposition";

/** What {@link opCheck} found. */
export interface OpCheckReport {
  /** How many samples the kernel ran on. */
  readonly samples: number;
  /** Problems by part; an empty list is a success. A part that does not apply is left out. */
  readonly problems: ReadonlyMap<OpCheckName, readonly string[]>;
}

/** Options of {@link opCheck}. */
export interface OpCheckOptions {
  /** Whether a problem is thrown. @defaultValue true */
  readonly throws?: boolean | undefined;
  /** Relative tolerance of the decomposition. @defaultValue that of the dtype */
  readonly rtol?: number | undefined;
  /** Absolute tolerance of the decomposition. @defaultValue that of the dtype */
  readonly atol?: number | undefined;
}

const OPTIONS: OptionNames<OpCheckOptions> = { throws: true, rtol: true, atol: true };

type Registration = NonNullable<ReturnType<typeof registrationOf>>;

/**
 * Runs a custom operator on samples, and compares its kernel with its schema, its fake and its
 * decomposition (`torch.library.opcheck`). Samples are lists of arguments, as calls have them.
 *
 * @param samples made of the schema when left out
 * @throws SconceError `OP_CHECK` with all problems; `OP_CHECK_SAMPLES` where the kernel takes none
 * of the samples; `CUSTOM_OP` for a value that is not a custom operator
 * @example library.opCheck(sin, [[torch.randn(3)], [torch.ones(2, 2)]]);
 */
export function opCheck(
  op: unknown,
  samples?: readonly (readonly unknown[])[],
  options: OpCheckOptions = {},
): OpCheckReport {
  const registration = registrationOf(op);
  if (registration === undefined) throw notCustomOp("library.opCheck", describeValue(op));
  checkOptions("library.opCheck", options, OPTIONS);
  const given = samplesOf(registration, samples);
  const check = new OpCheck(registration, op as never, options);
  for (const call of given) check.run(call, samples === undefined);
  if (check.samples === 0 && given.length > 0) throw check.noSample();
  const report = { samples: check.samples, problems: check.problems };
  const found = [...report.problems].flatMap(([name, list]) => list.map((one) => `${name}: ${one}`));
  if (found.length > 0 && options.throws !== false) throw opCheckFailed(registration.name, found);
  return report;
}

function samplesOf({ name, schema }: Registration, given: unknown): readonly (readonly unknown[])[] {
  const fix = "give lists of arguments: `library.opCheck(op, [[torch.randn(3), 2]])`";
  if (given === undefined) {
    const made = sampleCalls(schema);
    if (made === undefined) throw badSamples(name, "an argument has a type without an obvious value", fix);
    return made;
  }
  if (!Array.isArray(given) || given.length === 0 || !given.every(Array.isArray))
    throw badSamples(name, `the samples are ${describeValue(given)}, not lists of arguments`, fix);
  return given as readonly (readonly unknown[])[];
}

class OpCheck {
  readonly problems = new Map<OpCheckName, string[]>();
  samples = 0;
  #refusal: unknown;
  readonly #operator: Registration;
  readonly #call: (...given: readonly unknown[]) => unknown;
  readonly #options: OpCheckOptions;

  constructor(
    operator: Registration,
    call: (...given: readonly unknown[]) => unknown,
    options: OpCheckOptions,
  ) {
    this.#operator = operator;
    this.#call = call;
    this.#options = options;
  }

  /** No kernel takes a sample that was made. */
  noSample(): Error {
    const reason = `the kernel takes none of the arguments that were made of the schema: ${thrownText(this.#refusal)}`;
    return badSamples(this.#operator.name, reason, "give samples that the kernel takes");
  }

  /** Checks one call; a kernel may refuse arguments that were made. */
  run(given: readonly unknown[], isMade: boolean): void {
    const { name, schema, definition } = this.#operator;
    const call = parseOperatorCall(name, customSignature(schema), given);
    const ran = this.#runKernel(call, isMade);
    if (ran === undefined) return;
    this.samples++;
    this.#checkFake(call, ran.result);
    this.#checkDynamic(given);
    if (definition.decompose !== undefined && !definition.tags.includes("nondeterministic_seeded"))
      this.#checkDecomposition(call, ran);
  }

  #note(name: OpCheckName, found: readonly string[]): void {
    const list = this.problems.get(name) ?? [];
    this.problems.set(name, list);
    for (const one of found) if (!list.includes(one)) list.push(one);
  }

  /** Runs the kernel on copies; undefined when it fails. */
  #runKernel(call: OperatorCall, isMade: boolean): Ran | undefined {
    const { schema } = this.#operator;
    const bound = copied(bindArgs(schema, call.args, call.kwargs));
    const before = copied(bound);
    let result: unknown;
    try {
      result = this.#operator.runBound(bound);
    } catch (error) {
      const isOwn = isSconceError(error) && /^KERNEL_(?:RESULT|ALIASING)$/.test(error.code);
      if (isMade && !isOwn) this.#refusal = error;
      else {
        this.samples++;
        this.#note("schema", [isOwn ? thrownText(error) : `the kernel threw: ${thrownText(error)}`]);
      }
      return undefined;
    }
    const mutable = schema.args.filter(({ alias }) => alias?.write === true);
    const shared = new Set(
      mutable.flatMap((arg) => tensorsIn(bound[arg.name]).map(({ storage }) => storage)),
    );
    const written = schema.args.filter(({ name, alias }) => {
      if (alias?.write === true) return false;
      const originals = tensorsIn(before[name]);
      return tensorsIn(bound[name]).some(
        (tensor, i) =>
          !shared.has(tensor.storage) && !sameBytes(tensor.storage.bytes, originals[i]!.storage.bytes),
      );
    });
    this.#note(
      "schema",
      written.map((arg) => `Argument ${arg.name} is not defined as mutable but was mutated`),
    );
    return { bound, result };
  }

  #checkFake(call: OperatorCall, result: unknown): void {
    const { name, schema, definition } = this.#operator;
    const env = new ShapeEnv();
    try {
      if (definition.meta === undefined && definition.decompose === undefined) throw noFake(name);
      const fakes = fakesOf(bindArgs(schema, call.args, call.kwargs));
      const fake = metaOfBound(modelOperators(), definition, fakes, env);
      this.#note("fake", compareResults(env, fake, result));
    } catch (error) {
      this.#note("fake", [thrownText(error)]);
    }
  }

  /** Exports a call with dynamic sizes, and runs the program: its guards and assertions hold. */
  #checkDynamic(given: readonly unknown[]): void {
    const { definition } = this.#operator;
    // The fake was found to be missing.
    if (definition.meta === undefined && definition.decompose === undefined) return;
    const tensors = tensorsIn(given);
    const model = (inputs: readonly Tensor[]): unknown => {
      const rest = [...inputs];
      const call = this.#call;
      return call(...(withTensors(given, () => rest.shift()!) as readonly unknown[])) ?? null;
    };
    const dynamicShapes = tensors.map(({ shape }) =>
      Object.fromEntries(shape.flatMap((size, d) => (size > 1 ? [[d, Dim.AUTO]] : []))),
    );
    try {
      const inputs = tensors.map((tensor) => new Tensor({ ...layoutOf(tensor), storage: bytesOf(tensor) }));
      const options = { dynamicShapes: [dynamicShapes], checkSource: false, onWarning: () => undefined };
      exportProgram(model, [inputs], options).call(copied({ tensors })["tensors"]);
      this.#note("dynamic", []);
    } catch (error) {
      this.#note("dynamic", [thrownText(error)]);
    }
  }

  #checkDecomposition({ args, kwargs }: OperatorCall, { bound, result }: Ran): void {
    const { schema } = this.#operator;
    const evaluate = createEvaluator({ operators: operators([this.#call]) });
    const own = copied(bindArgs(schema, args, kwargs));
    try {
      const given = evaluate(schema.target, [], own as never);
      const written = schema.args.filter(({ alias }) => alias?.write === true).map(({ name }) => name);
      this.#note("decomposition", [
        ...this.#differences(given, result, "the result"),
        ...written.flatMap((name) => this.#differences(own[name], bound[name], `what is written to ${name}`)),
      ]);
    } catch (error) {
      this.#note("decomposition", [thrownText(error)]);
    }
  }

  #differences(got: unknown, want: unknown, what: string): string[] {
    const { rtol, atol } = this.#options;
    const [gots, wants] = [tensorsIn(got), tensorsIn(want)];
    if (gots.length !== wants.length) return [`${what} has ${gots.length} tensors, not ${wants.length}`];
    return gots.flatMap((tensor, i) => {
      const difference = tensorDifference(tensor, wants[i]!, { rtol, atol });
      return difference === undefined ? [] : [`${what}: ${difference.replace(/\n\s*/g, "; ")}`];
    });
  }
}

/** A call that the kernel ran. */
interface Ran {
  /** The arguments, as the kernel left them. */
  readonly bound: BoundArgs;
  readonly result: unknown;
}

const layoutOf = ({ dtype, shape, strides, storageOffset }: Tensor) => ({
  dtype,
  shape,
  strides,
  storageOffset,
});
const bytesOf = ({ storage }: Tensor): Storage => new Storage(storage.bytes.slice());

/** Values with copies of their tensors; tensors that share memory still do. */
function copied(bound: BoundArgs): Record<string, unknown> {
  const storages = new Map<Storage, Storage>();
  const copy = (tensor: Tensor): Tensor => {
    const storage = storages.get(tensor.storage) ?? bytesOf(tensor);
    storages.set(tensor.storage, storage);
    return new Tensor({ ...layoutOf(tensor), storage });
  };
  return withTensorsByName(bound, copy);
}

const fakesOf = (bound: BoundArgs): BoundArgs => withTensorsByName(bound, (tensor) => fakeOf(tensor));

const withTensorsByName = (
  values: BoundArgs,
  replace: (tensor: Tensor) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, withTensors(value, replace)]));

/** Returns a value with others in place of its tensors, in lists and records too. */
function withTensors(value: unknown, replace: (tensor: Tensor) => unknown): unknown {
  if (value instanceof Tensor) return replace(value);
  if (Array.isArray(value)) return value.map((item) => withTensors(item, replace));
  if (typeof value !== "object" || value === null || kindOf(value) !== undefined) return value;
  return withTensorsByName(value as BoundArgs, replace);
}
