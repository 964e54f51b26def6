/** @file Decompositions that are not Sconce's own, checked against the call that they replace. */
import { isSconceError, type SconceError } from "@sconce/errors";
import { FakeTensor, type MetaValue } from "@sconce/ir";
import {
  type BoundArgs,
  defaultOperators,
  type Emit,
  type EmitArg,
  emitFrom,
  isOutOfMemory,
  metaOfBound,
  type OpDefinition,
  type OperatorTable,
  resultProblem,
} from "@sconce/ops";
import type { RetraceEnv } from "@sconce/trace";
import { entryName } from "./entry-owners.js";
import { probeEnv, sameCall, valueDifference } from "./entry-values.js";
import { argumentsNotList, entryCycle, entryResult, entryThrew, inEntryCall, unknownCall } from "./errors.js";
import { isOwnEntry } from "./unread-entries.js";

/** A decomposition that applies to a row. */
export type EntryRule = NonNullable<OpDefinition["decompose"]>;

interface Frame {
  readonly target: string;
  readonly rule: EntryRule;
  readonly bound: BoundArgs;
  readonly trusted: boolean;
}

/** An entry may call its own operator on other arguments this often, one call within the other. */
const MOST_NESTED = 64;

/** What the checks ask of a retrace. */
export interface EntrySurroundings {
  readonly operators: OperatorTable;
  readonly env: RetraceEnv;
  /** Returns whether a tensor represents a node of the graph that is being made. */
  isTraced(value: FakeTensor): boolean;
}

/** Runs decompositions, and keeps those that are being run, the innermost last. */
export class EntryRunner {
  readonly #around: EntrySurroundings;
  readonly #running: Frame[] = [];

  constructor(around: EntrySurroundings) {
    this.#around = around;
  }

  /**
   * Runs a decomposition on bound arguments.
   *
   * @throws SconceError `DECOMPOSITION_CYCLE`, `DECOMPOSITION_RESULT`, `DECOMPOSITION_FAILED`, and
   * what the emitted calls are refused for, all with the entry's name
   */
  run(row: OpDefinition, rule: EntryRule, emit: Emit, bound: BoundArgs): MetaValue {
    const { target } = row;
    const frame = { target, rule, bound, trusted: isOwn(row, rule) };
    this.#refuseCycle(frame);
    this.#running.push(frame);
    try {
      return frame.trusted ? rule(emit, bound) : this.#checked(row, frame, emit);
    } finally {
      this.#running.pop();
    }
  }

  #checked(row: OpDefinition, { rule, bound }: Frame, emit: Emit): MetaValue {
    const name = entryName(row.target, rule);
    const result = this.#called(row, name, rule, emit, bound);
    const problem =
      resultProblem(row.schema, result) ?? this.#foreign(result) ?? this.#difference(row, bound, result);
    if (problem === undefined) return result;
    throw asNamed(entryResult(row.target, `${name} ${problem}`));
  }

  #called(row: OpDefinition, name: string, rule: EntryRule, emit: Emit, bound: BoundArgs): MetaValue {
    try {
      return rule(this.#naming(name, row.target, emit), bound);
    } catch (error) {
      // The emitter itself finds that a call gives one tensor or several.
      if (isSconceError(error, "RESULT_KIND")) throw inEntry(error, name, row.target, error.where ?? "");
      if (isSconceError(error) || isOutOfMemory(error)) throw error;
      throw asNamed(entryThrew(row.target, name, error));
    }
  }

  /** Returns the emitter, whose errors name the entry that calls it. */
  #naming(name: string, target: string, emit: Emit): Emit {
    const { arithmetic, counted } = emit;
    const naming = emitFrom(emit.env, (called, args, kwargs) => {
      try {
        return emit.value(this.#existing(called), listOf(args), kwargs);
      } catch (error) {
        throw isSconceError(error) ? inEntry(error, name, target, called) : error;
      }
    });
    return Object.assign(naming, arithmetic && { arithmetic }, counted && { counted });
  }

  /** @throws SconceError `UNKNOWN_OPERATOR` with a suggestion */
  #existing(called: unknown): string {
    const { operators } = this.#around;
    if (typeof called === "string" && operators.schemaOf(called) !== undefined) return called;
    const candidates = Array.from(operators, ({ target }) => target);
    throw unknownCall(called, candidates);
  }

  /** @throws SconceError `DECOMPOSITION_CYCLE` */
  #refuseCycle(next: Frame): void {
    const running = this.#running;
    let nested = 0;
    for (let i = running.length - 1; i >= 0; i--) {
      const frame = running[i]!;
      if (frame.target !== next.target) continue;
      const cycle = [...running.slice(i), next];
      if (cycle.every(({ trusted }) => trusted)) continue;
      if (++nested < MOST_NESTED && !sameCall(frame.bound, next.bound)) continue;
      const first = cycle.find(({ trusted }) => !trusted)!;
      const path = cycle.map(({ target }) => target).join(" -> ");
      throw asNamed(entryCycle(first.target, entryName(first.target, first.rule), path));
    }
  }

  /** Returns a tensor that represents no node: made by hand, or kept from another program. */
  #foreign(result: MetaValue): string | undefined {
    if (Array.isArray(result))
      return (result as readonly MetaValue[]).map((item) => this.#foreign(item)).find(Boolean);
    if (!(result instanceof FakeTensor) || this.#around.isTraced(result)) return undefined;
    return "returned a tensor that is in no graph or in another one: results must be arguments, or made by the emitter";
  }

  /** Returns how the result differs from what the operator gives for the same arguments. */
  #difference(row: OpDefinition, bound: BoundArgs, result: MetaValue): string | undefined {
    const { operators, env } = this.#around;
    let expected: MetaValue;
    try {
      expected = metaOfBound(operators, row, bound, probeEnv(env));
    } catch (error) {
      // Rules that refuse the call, or cannot decide from the sizes alone, say nothing of its
      // result.
      if (isSconceError(error)) return undefined;
      throw error;
    }
    return valueDifference(expected, result, env);
  }
}

/** Sconce's own decompositions are checked by its tests against PyTorch. */
export const isOwn = (row: OpDefinition, rule: EntryRule): boolean =>
  (rule === row.decompose && defaultOperators().get(row.target)?.decompose === rule) || isOwnEntry(rule);

/** Errors that name an entry already, the innermost one. */
const named = new WeakSet<object>();

function asNamed(error: SconceError): SconceError {
  named.add(error);
  return error;
}

const inEntry = (error: SconceError, name: string, target: string, called: EmitArg): SconceError =>
  named.has(error) ? error : asNamed(inEntryCall(error, name, target, called));

/** @throws SconceError `ARGUMENT_KIND` for positional arguments that are not in a list */
function listOf(args: readonly EmitArg[]): readonly EmitArg[] {
  if (Array.isArray(args)) return args;
  throw argumentsNotList();
}
