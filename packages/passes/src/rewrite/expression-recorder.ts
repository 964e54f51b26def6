/**
 * @file Runs a function over an emitter with holes for tensors, and keeps the calls that it emits.
 */
import type { SconceError } from "@sconce/errors";
import { FakeTensor, type MetaValue } from "@sconce/ir";
import { type Emit, type EmitArg, emitFrom, knownSchema } from "@sconce/ops";
import { STATIC_ENV } from "@sconce/symbolic";

/** A hole that a function was given, or what it emitted, in order. */
export type Emission =
  | { readonly kind: "operand"; readonly index: number }
  | {
      readonly kind: "call";
      readonly target: string;
      readonly args: readonly EmitArg[];
      readonly kwargs: Kwargs;
    };

type Kwargs = Readonly<Record<string, EmitArg>>;

export interface Trace {
  readonly results: readonly Emission[];
  /** All that there is, operands first. */
  readonly emissions: readonly Emission[];
  /** Returns what a value represents; undefined for literals. */
  emissionOf(value: EmitArg): Emission | undefined;
}

/** The function asked what a hole does not know: its dtype, its sizes. */
export class NeedsTensors extends Error {}

type Fail = (what: string) => SconceError;

/**
 * @param fail makes the error for a mistake in the function
 * @throws NeedsTensors when what the function does depends on its operands; what `fail` makes
 */
export function traceExpression(
  expression: (emit: Emit, ...operands: FakeTensor[]) => unknown,
  operands: number,
  fail: Fail,
): Trace {
  return new ExpressionRecorder(fail).run(expression, operands);
}

class ExpressionRecorder implements Pick<Trace, "emissionOf"> {
  readonly #fail: Fail;
  readonly #emissions: Emission[] = [];
  readonly #byValue = new Map<unknown, Emission>();
  /** Items that were taken of each value, so that one item is one value. */
  readonly #items = new Map<unknown, Map<number, FakeTensor>>();

  constructor(fail: Fail) {
    this.#fail = fail;
  }

  run(expression: (emit: Emit, ...operands: FakeTensor[]) => unknown, operands: number): Trace {
    const emit = emitFrom(STATIC_ENV, (target, args, kwargs): MetaValue => this.#call(target, args, kwargs));
    const several: Emit["many"] = (target, args, kwargs = {}) => this.#many(target, args, kwargs);
    const holes = Array.from({ length: operands }, (_, index) => this.#value({ kind: "operand", index }));
    const given = expression(Object.assign(emit, { many: several }), ...holes);
    const results = Array.isArray(given) && !this.#byValue.has(given) ? given : [given];
    return {
      results: results.map((value: unknown) => this.#resultOf(value)),
      emissions: this.#emissions,
      emissionOf: (value) => this.emissionOf(value),
    };
  }

  emissionOf(value: EmitArg): Emission | undefined {
    return this.#byValue.get(value);
  }

  #resultOf(value: unknown): Emission {
    const emission = this.#byValue.get(value);
    if (Array.isArray(value)) throw this.#fail("gives a list whose length is not known: give its items");
    if (emission !== undefined) return emission;
    throw this.#fail(
      `gives ${typeof value === "object" ? "an object" : String(value)}, where it must give what was emitted`,
    );
  }

  #call(target: string, args: readonly EmitArg[], kwargs: Kwargs): FakeTensor {
    if (target !== "operator.getitem") return this.#value(this.#checked(target, args, kwargs));
    const [from, index] = args;
    if (typeof index !== "number") throw this.#fail("takes an item whose number is none");
    if (Array.isArray(from) && !this.#byValue.has(from))
      return this.#itemOfArray(from as FakeTensor[], index);
    return this.#item(from, index);
  }

  #itemOfArray(items: readonly FakeTensor[], index: number): FakeTensor {
    const item = items.at(index);
    if (item === undefined) throw this.#fail(`takes item ${index} of ${items.length}`);
    return item;
  }

  /**
   * Results of calls whose schema says how many there are; else a list that gives as many as are
   * asked for.
   */
  #many(target: string, args: readonly EmitArg[], kwargs: Kwargs): readonly FakeTensor[] {
    const call = this.#checked(target, args, kwargs);
    const list: FakeTensor[] = [];
    const open = new Proxy(list, { get: (_, property) => this.#read(open, property) });
    this.#byValue.set(open, call);
    const count = resultCount(target);
    if (count === 1) throw this.#fail(`asks for several results of ${target}, which gives one tensor`);
    return count === undefined ? open : Array.from({ length: count }, (_, i) => this.#item(open, i));
  }

  #checked(target: string, args: readonly EmitArg[], kwargs: Kwargs): Emission {
    const check = (value: unknown): void => {
      if (this.#byValue.has(value)) return;
      if (value === undefined || typeof value === "function" || typeof value === "symbol")
        throw this.#fail(`passes ${value === undefined ? "undefined" : `a ${typeof value}`} to ${target}`);
      if (value instanceof FakeTensor)
        throw this.#fail(`passes ${target} a tensor that is neither an operand nor emitted`);
      if (Array.isArray(value)) value.forEach(check);
    };
    args.forEach(check);
    Object.values(kwargs).forEach(check);
    const call: Emission = { kind: "call", target, args, kwargs };
    this.#emissions.push(call);
    return call;
  }

  /**
   * Returns a stand-in for a tensor; a value of several results can be indexed and unpacked like
   * one in `torch.fx`.
   */
  #value(emission: Emission): FakeTensor {
    if (emission.kind === "operand") this.#emissions.push(emission);
    const blank = new FakeTensor({ dtype: "float32", shape: [], strides: [] });
    const hole: FakeTensor = new Proxy(blank, { get: (_, property) => this.#read(hole, property) });
    this.#byValue.set(hole, emission);
    return hole;
  }

  #read(from: unknown, property: string | symbol): unknown {
    if (typeof property === "string" && /^\d+$/.test(property)) return this.#item(from, Number(property));
    if (property === Symbol.iterator) return () => this.#each(from);
    const name = typeof property === "symbol" ? property.description : property;
    throw new NeedsTensors(`reads ${name} of a value, which represents any tensor there`);
  }

  *#each(from: unknown): Generator<FakeTensor> {
    const emission = this.#byValue.get(from);
    const count = emission?.kind === "call" ? resultCount(emission.target) : undefined;
    for (let i = 0; count === undefined || i < count; i++) yield this.#item(from, i);
  }

  #item(from: unknown, index: number): FakeTensor {
    const emission = this.#byValue.get(from);
    if (emission?.kind !== "call")
      throw this.#fail(`takes item ${index} of a value that is not the result of a call`);
    const count = resultCount(emission.target);
    if (count !== undefined && (count === 1 || index >= count || index < 0))
      throw this.#fail(
        `takes item ${index} of ${emission.target}, which gives ${count === 1 ? "one tensor" : `${count} results`}`,
      );
    const items = this.#items.get(emission) ?? new Map<number, FakeTensor>();
    this.#items.set(emission, items);
    const known = items.get(index);
    if (known !== undefined) return known;
    const item = this.#value({
      kind: "call",
      target: "operator.getitem",
      args: [from as EmitArg, index],
      kwargs: {},
    });
    items.set(index, item);
    return item;
  }
}

/**
 * Returns how many results a call has by its schema; undefined for lists of tensors, and for
 * operators of plugins.
 */
function resultCount(target: string): number | undefined {
  const schema = knownSchema(target);
  if (schema === undefined || schema.returns.some(({ type }) => type.list)) return undefined;
  return schema.returns.length;
}
