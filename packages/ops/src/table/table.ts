import { isSconceError, markClass, type SconceError } from "@sconce/errors";
import {
  FakeTensor,
  isRef,
  type MetaValue,
  type Node,
  type NodeRef,
  type OperatorLookup,
  type OpSchema,
} from "@sconce/ir";
import type { OpDefinition } from "../rows/define-op.js";
import { KnownSchemas } from "../schema/known-schemas.js";
import { COPY } from "../this-copy.js";
import { bindArgs, constantValue, refuseNames } from "./bind.js";
import { deriveInPlaceVariant } from "./derive.js";
import { deriveForeach } from "./derive-foreach.js";
import { deriveWriting } from "./derive-writing.js";
import {
  duplicateOperator,
  registryFrozen,
  unimplementedOperator,
  unknownOperator,
  unknownOperatorFix,
  unsupportedOperator,
} from "./errors.js";
import type { OperatorRows } from "./operator-rows.js";
import { type RefusedClass, refusedClass } from "./refused-overloads.js";

const SHARED = {
  message: "the default operator table is shared by all sessions and takes no further operators",
  fix: "make a table of your own with defaultOperators().extend(rows)",
};

/** Most unknown targets whose fixes are kept. */
const MOST_FIXES = 1000;

/**
 * All operators known to a session, by target; in-place and `out=` variants are derived when asked
 * for.
 */
export class OperatorTable implements OperatorLookup, OperatorRows {
  static {
    markClass(OperatorTable, "OperatorTable", COPY);
  }

  readonly known: KnownSchemas;
  readonly #rows = new Map<string, OpDefinition>();
  /** Why the table takes no further rows, and what to do. */
  #frozen: { readonly message: string; readonly fix: string } | undefined;
  #version = 0;
  readonly #derived = new Map<string, OpDefinition | undefined>();
  /** What to do about targets that are not there. */
  readonly #fixes = new Map<string, string>();
  #packets: Map<string, OpDefinition[]> | undefined;

  /**
   * @param known the schemas of PyTorch; when left out, only those of the rows are known
   * @param shared whether others use the table too, so that nothing may be registered later
   */
  constructor(rows: Iterable<OpDefinition>, known = new KnownSchemas(), shared = false) {
    this.known = known;
    this.#add(rows);
    if (shared) this.#frozen = SHARED;
  }

  /**
   * Adds rows to this table, as a library that is loaded late registers its operators.
   *
   * @throws SconceError `DUPLICATE_OPERATOR`; `REGISTRY_FROZEN` for the table that all sessions
   * share, and that of a session in use
   */
  register(rows: Iterable<OpDefinition>): void {
    if (this.#frozen !== undefined) throw registryFrozen(this.#frozen);
    this.#add(rows);
    this.#derived.clear();
    this.#fixes.clear();
    this.#packets = undefined;
    this.#version++;
  }

  /** Takes no further rows from now on, for this reason. */
  freeze(message: string, fix: string): void {
    this.#frozen ??= { message, fix };
  }

  #add(rows: Iterable<OpDefinition>): void {
    for (const row of rows) {
      if (this.#rows.has(row.target)) {
        throw duplicateOperator(row.target);
      }
      this.#rows.set(row.target, row);
    }
  }

  /**
   * Counts the registrations after construction: what is computed from the rows is good for one
   * version.
   */
  get version(): number {
    return this.#version;
  }

  /**
   * Returns the row of a target, or the one derived for an in-place or `out=` overload; undefined
   * when unknown.
   */
  get(target: string): OpDefinition | undefined {
    const row = this.#rows.get(target);
    if (row !== undefined) return row;
    if (!this.#derived.has(target)) {
      const inPlace = deriveInPlaceVariant(target, this);
      this.#derived.set(target, inPlace ?? deriveForeach(target, this) ?? deriveWriting(target, this));
    }
    return this.#derived.get(target);
  }

  /** Rows of one name (`aten.add`), in definition order. */
  overloadsOf(packet: string): readonly OpDefinition[] {
    this.#packets ??= byPacket(this.#rows.values());
    return this.#packets.get(packet) ?? [];
  }

  /**
   * @throws SconceError `UNKNOWN_OPERATOR`; for one of PyTorch's that has no row here
   * `UNSUPPORTED_OPERATOR`, or `UNIMPLEMENTED_OPERATOR` where none of the refused classes has it
   */
  require(target: string): OpDefinition {
    const row = this.get(target);
    if (row === undefined) throw this.#missing(target);
    return row;
  }

  /** Returns the schema of a row, of a derived overload, or of any overload that PyTorch has. */
  schemaOf(target: string): OpSchema | undefined {
    return this.get(target)?.schema ?? this.known.schema(target);
  }

  /** Returns the tags of an operator; none when it has no row. */
  tagsOf(target: string): readonly string[] {
    return this.get(target)?.tags ?? [];
  }

  /** Targets of all rows, and of every ATen overload that PyTorch has. */
  *targets(): Iterable<string> {
    yield* this.#rows.keys();
    for (const target of this.known.targets()) if (!this.#rows.has(target)) yield target;
  }

  /**
   * Returns why the arguments of a call do not fit the schema; undefined when they do, or without a
   * schema.
   */
  callProblem(
    { target, args, kwargs }: Pick<Node, "target" | "args" | "kwargs">,
    resolve: (node: NodeRef) => MetaValue | undefined,
  ): string | undefined {
    const schema = this.schemaOf(target);
    if (schema === undefined || fitsPlainly(schema, args, kwargs, resolve)) return undefined;
    try {
      refuseNames(schema, args, kwargs);
      bindArgs(schema, args, kwargs, (node) => constantValue(resolve(node)));
      return undefined;
    } catch (error) {
      if (isSconceError(error)) return error.message;
      throw error;
    }
  }

  /**
   * Returns why programs that call an operator are refused: it is of a class that they cannot hold,
   * and has no row. Undefined for others.
   */
  refusalOf(target: string): SconceError | undefined {
    const refused = this.refusedClass(target);
    return refused && unsupportedOperator(target, this.known.text(target)!, refused);
  }

  /** Returns the class for which an operator of PyTorch without a row is refused. */
  refusedClass(target: string): RefusedClass | undefined {
    const isWithoutRow = this.get(target) === undefined && this.known.text(target) !== undefined;
    return isWithoutRow ? refusedClass(target) : undefined;
  }

  #missing(target: string): SconceError {
    const refusal = this.refusalOf(target);
    if (refusal !== undefined) return refusal;
    const schema = this.known.text(target);
    if (schema !== undefined) {
      return unimplementedOperator(target, schema);
    }
    // A program may call it thousands of times, and all names are compared.
    const fix = this.#fixes.get(target) ?? unknownOperatorFix(target, this.targets());
    if (this.#fixes.size < MOST_FIXES) this.#fixes.set(target, fix);
    return unknownOperator(target, fix);
  }

  /** Returns a table with further rows; clashes are refused. */
  extend(rows: Iterable<OpDefinition>): OperatorTable {
    return new OperatorTable([...this.#rows.values(), ...rows], this.known);
  }

  /** Explicit rows, in definition order. */
  [Symbol.iterator](): IterableIterator<OpDefinition> {
    return this.#rows.values();
  }

  /** The number of written rows; derived ones do not count. */
  get size(): number {
    return this.#rows.size;
  }
}

/** Returns whether lowering with the default decomposition table replaces calls of an operator. */
export function decomposes(operators: OperatorTable, target: string): boolean {
  const row = operators.get(target);
  if (row?.functional !== undefined) return decomposes(operators, row.functional);
  return row?.decompose !== undefined && !row.tags.includes("not_in_default_table");
}

/**
 * True for tensors by position where the schema has tensors, the rest left out: most calls, known
 * to fit without binding.
 */
function fitsPlainly(
  { args: parameters }: OpSchema,
  args: Node["args"],
  kwargs: Node["kwargs"],
  resolve: (node: NodeRef) => MetaValue | undefined,
): boolean {
  for (const _key in kwargs) return false;
  if (args.length > parameters.length) return false;
  for (let i = 0; i < parameters.length; i++) {
    const { type, kwargOnly, hasDefault } = parameters[i]!;
    if (i >= args.length) {
      if (!hasDefault && !type.optional) return false;
      continue;
    }
    const arg = args[i]!;
    if (kwargOnly || type.base !== "Tensor" || type.list || !isRef(arg)) return false;
    if (!(resolve(arg) instanceof FakeTensor)) return false;
  }
  return true;
}

function byPacket(rows: Iterable<OpDefinition>): Map<string, OpDefinition[]> {
  const packets = new Map<string, OpDefinition[]>();
  for (const row of rows) {
    const packet = `${row.schema.namespace}.${row.schema.name}`;
    const known = packets.get(packet);
    if (known === undefined) packets.set(packet, [row]);
    else known.push(row);
  }
  return packets;
}
