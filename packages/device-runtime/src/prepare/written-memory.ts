/**
 * @file Writes in place beside views that lowering cannot express. It makes a value of each write,
 * which has other memory than the tensor that was written to: a call that reads memory by strides
 * sees that of the value, and whether a `reshape` is a view is decided by the example.
 */
import {
  type Argument,
  type ExportedProgram,
  FakeTensor,
  forEachInput,
  forEachRef,
  type Graph,
  isRef,
  mayOverlap,
  type Node,
} from "@sconce/ir";
import { argumentAt, memoryRoots, type OperatorTable } from "@sconce/ops";
import { isRowMajor } from "../memory/input-layouts.js";
import { type Aliasing, aliasingOf, type LeastSize, mayAlias } from "./aliased-results.js";
import { bodiesOf, bodyOf, writesAny } from "./bodies.js";
import { readsOlderName } from "./older-names.js";

/** What the writes of a program need. */
export interface WrittenMemory {
  /** Why lowering changes what the program computes, if it does. */
  readonly reason: string | undefined;
  /** Whether it holds for inputs only that lie in memory as the program records. */
  readonly needsRecordedLayouts: boolean;
  /** For which sizes it holds only. */
  readonly leastSizes: readonly LeastSize[];
}

/** A program that writes to nothing. */
export const NO_WRITES: WrittenMemory = { reason: undefined, needsRecordedLayouts: false, leastSizes: [] };
/** Returns what only the program as it is computes. */
const refused = (reason: string): WrittenMemory => ({ reason, needsRecordedLayouts: true, leastSizes: [] });
const STRIDED = "it reads memory by strides that it writes to, and its lowered form other memory";
const EXPANDED =
  "it writes through a view that may show elements several times, which its lowered form computes otherwise";
const ALIASED = "it writes beside a call that gives an operand, of which its lowered form makes a new value";
const OLDER_NAME = "it changes the sizes of a tensor in place, and reads it by a name with the sizes before";
const UNDECIDED = "it writes beside a call whose sizes decide whether it is a view";

const DRAWN = "it draws random numbers in memory order, and its lowered form in row order";

const DRAWS_IN_ORDER = /^aten\.(bernoulli_\.float|alpha_dropout_?\.default)$/;
/** Calls that read memory by strides. */
const READS_STRIDES = /^aten\.(as_strided|as_strided_|as_strided_copy|as_strided_scatter|fill_diagonal_)\./;
/** Views that may show an element several times. */
const EXPANDS = /^aten\.(expand|expand_as|broadcast_to|broadcast_tensors|meshgrid)\./;
/** Views by strides, which may show an element several times as well. */
const BY_STRIDES = /^aten\.as_strided_?\./;
/** Calls that give a view where strides allow it, and a copy elsewhere. */
const VIEW_OR_COPY = /^aten\.(reshape|reshape_as|flatten|ravel|contiguous|to)\./;
/** Views whose inverses keep the memory of what they are taken from. */
const KEEPS_MEMORY =
  /^aten\.(slice|select|narrow|diagonal|unsqueeze|squeeze|view|as_strided|detach|alias|lift_fresh)\.|^operator\.getitem$/;
/** Calls whose bodies write to operands, and give views of them. */
const WRAPPER = /^higher_order\.wrap/;

type Names = ReadonlySet<string>;
const NO_NAMES: Names = new Set();

/** Looks at the writes of a program that is not lowered. */
export function writtenMemory({ graph }: ExportedProgram, operators: OperatorTable): WrittenMemory {
  const draws = drawsOf(graph);
  if (readsOlderName(graph, operators)) return refused(OLDER_NAME);
  const reason = draws.every(({ graph: own, node }) => liesInRows(own, node)) ? undefined : DRAWN;
  const needsRecordedLayouts = draws.length > 0;
  if (reason !== undefined || !writesAny(graph, operators) || !hasViewsOfInterest(graph))
    return { reason, needsRecordedLayouts, leastSizes: [] };
  const written = new Writes(graph, operators).memory(NO_NAMES, NO_NAMES);
  return needsRecordedLayouts ? { ...written, needsRecordedLayouts } : written;
}

/** Calls that draw in the order of memory, and whose lowered forms draw in that of rows. */
const drawsOf = (graph: Graph): readonly { readonly graph: Graph; readonly node: Node }[] => [
  ...graph.calls().flatMap((node) => (DRAWS_IN_ORDER.test(node.target) ? [{ graph, node }] : [])),
  ...[...graph.subgraphs.values()].flatMap(drawsOf),
];

const hasViewsOfInterest = (graph: Graph): boolean =>
  graph
    .calls()
    .some(
      (node) => mayAlias(node) || [READS_STRIDES, EXPANDS, VIEW_OR_COPY].some((one) => one.test(node.target)),
    ) || [...graph.subgraphs.values()].some(hasViewsOfInterest);

/**
 * Answers about bodies, by whether they are given tensors that are written to or expanded: several
 * calls may run one.
 */
type KnownBodies = Map<Graph, Map<string, WrittenMemory>>;

/** The writes of one graph. */
class Writes {
  readonly #graph: Graph;
  readonly #operators: OperatorTable;
  readonly #known: KnownBodies;
  readonly #calls: readonly Node[];
  readonly #roots: ReadonlyMap<string, Names>;
  /** The operands that calls write to. */
  readonly #written: Names;

  constructor(graph: Graph, operators: OperatorTable, known: KnownBodies = new Map()) {
    this.#graph = graph;
    this.#operators = operators;
    this.#known = known;
    this.#calls = graph.calls();
    this.#roots = memoryRoots(graph, operators);
    this.#written = new Set(this.#calls.flatMap((node) => this.#writtenBy(node)));
  }

  /**
   * @param outer placeholders that the enclosing graph writes to
   * @param spread placeholders that may be expanded
   */
  memory(outer: Names, spread: Names): WrittenMemory {
    const written = new Set(outer);
    for (const name of this.#written) for (const root of this.#rootsOf(name)) written.add(root);
    const expanded = this.#expanded(spread);
    if (this.#readsStrides(written)) return refused(STRIDED);
    if ([...this.#written].some((name) => expanded.has(name))) return refused(EXPANDED);
    const aliasing = this.#aliasing(written);
    if (aliasing.includes(true)) return refused(ALIASED);
    const deciding = this.#calls.filter(
      (node) => isViewOrCopy(node, this.#operators) && this.#isAmong(node.name, written),
    );
    if (deciding.some((node) => !isDecided(this.#graph, node))) return refused(UNDECIDED);
    const leastSizes = aliasing.filter((one) => typeof one !== "boolean");
    return this.#joined(
      { ...NO_WRITES, needsRecordedLayouts: deciding.length > 0, leastSizes },
      written,
      expanded,
    );
  }

  /** Of the calls that may give an operand, where something is written to that they may give. */
  #aliasing(written: Names): readonly Aliasing[] {
    const calls = this.#calls.filter((node) => mayAlias(node) && this.#isAmong(node.name, written));
    const known = new Map<Graph, boolean>();
    return calls.map((node) => aliasingOf(node, this.#graph, this.#operators, known));
  }

  /** Returns the same of the bodies of calls. */
  #joined(own: WrittenMemory, written: Names, expanded: Names): WrittenMemory {
    let needs = own.needsRecordedLayouts;
    const leastSizes = new Set(own.leastSizes);
    for (const node of this.#calls) {
      const bodies = bodiesOf(node, this.#graph);
      if (bodies.length === 0) continue;
      const operands: string[] = [];
      forEachInput(node, (name) => void (bodyOf(name, this.#graph) ?? operands.push(name)));
      const isWritten = operands.some((name) => this.#isAmong(name, written));
      const isExpanded = operands.some((name) => expanded.has(name));
      for (const body of bodies) {
        const inner = this.#inBody(body, isWritten, isExpanded);
        if (inner.reason !== undefined) return inner;
        needs ||= inner.needsRecordedLayouts;
        for (const size of inner.leastSizes) leastSizes.add(size);
      }
    }
    return { reason: undefined, needsRecordedLayouts: needs, leastSizes: [...leastSizes] };
  }
  #inBody(body: Graph, isWritten: boolean, isExpanded: boolean): WrittenMemory {
    const answers = this.#known.get(body) ?? new Map<string, WrittenMemory>();
    this.#known.set(body, answers);
    const key = `${isWritten} ${isExpanded}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const placeholders = new Set(body.placeholders().map(({ name }) => name));
    const found = new Writes(body, this.#operators, this.#known).memory(
      isWritten ? placeholders : NO_NAMES,
      isExpanded ? placeholders : NO_NAMES,
    );
    answers.set(key, found);
    return found;
  }

  #rootsOf(name: string): Names {
    return this.#roots.get(name) ?? NO_NAMES;
  }
  #isAmong(name: string, written: Names): boolean {
    for (const root of this.#rootsOf(name)) if (written.has(root)) return true;
    return false;
  }

  #writtenBy(node: Node): readonly string[] {
    const names: string[] = [];
    const add = (name: string): void => void names.push(name);
    const schema = this.#operators.schemaOf(node.target);
    if (schema?.isMutable === true)
      schema.args.forEach(({ alias }, at) => {
        if (alias?.write === true) forEachRef(argumentAt(node, schema, at) as Argument, add);
      });
    const bodies = WRAPPER.test(node.target) ? bodiesOf(node, this.#graph) : [];
    if (bodies.some((body) => writesAny(body, this.#operators))) forEachInput(node, add);
    return names;
  }

  /**
   * Views that may show elements several times, and what shares memory with them or with given
   * values by other calls.
   */
  #expanded(given: Names): Names {
    const found = new Set(given);
    for (const node of this.#calls)
      if (mayRepeat(node) || this.#sharesWith(node, found)) found.add(node.name);
    return found;
  }
  #sharesWith(node: Node, names: Names): boolean {
    // A call with memory of its own is its own root.
    const roots = this.#rootsOf(node.name);
    if (roots.has(node.name)) return false;
    let shares = false;
    forEachInput(node, (name) => {
      if (!names.has(name)) return;
      for (const root of this.#rootsOf(name)) shares ||= roots.has(root);
    });
    return shares;
  }

  #readsStrides(written: Names): boolean {
    return this.#calls.some((node) => {
      if (!READS_STRIDES.test(node.target)) return false;
      const [self] = node.args;
      const roots = isRef(self) ? this.#rootsOf(self.name) : NO_NAMES;
      return [...roots].some((root) => written.has(root) && !this.#keepsMemory(root));
    });
  }
  /**
   * Returns whether writes to a result leave it in the memory that it had: it has no gaps, nor any
   * view.
   */
  #keepsMemory(root: string): boolean {
    const { op, meta } = this.#graph.node(root);
    if (op !== "call_function" || !(meta.val instanceof FakeTensor && isRowMajor(meta.val))) return false;
    return this.#calls.every(
      ({ name, target }) =>
        name === root ||
        !this.#rootsOf(name).has(root) ||
        KEEPS_MEMORY.test(target) ||
        this.#operators.schemaOf(target)?.isMutable === true,
    );
  }
}

function mayRepeat({ target, meta: { val } }: Node): boolean {
  if (!BY_STRIDES.test(target)) return EXPANDS.test(target);
  return !(val instanceof FakeTensor) || mayOverlap(val.shape, val.strides);
}

/**
 * Returns whether a call may be a view of its operand or a copy, by its strides: a dtype does not
 * ask.
 */
function isViewOrCopy(node: Node, operators: OperatorTable): boolean {
  if (!VIEW_OR_COPY.test(node.target)) return false;
  if (!node.target.startsWith("aten.to.")) return true;
  const { schema } = operators.require(node.target);
  const at = schema.args.findIndex(({ name }) => name === "memory_format");
  return (argumentAt(node, schema, at) ?? null) !== null;
}

/** Returns whether the operand of a call lies in rows without gaps. */
function liesInRows(graph: Graph, { args: [self] }: Node): boolean {
  const val = isRef(self) ? graph.find(self.name)?.meta.val : undefined;
  return val instanceof FakeTensor && isRowMajor(val);
}

/**
 * Returns whether a call decides about its operand as about the example, where that lies as
 * recorded.
 */
function isDecided(graph: Graph, node: Node): boolean {
  const [self] = node.args;
  const val = isRef(self) ? graph.node(self.name).meta.val : undefined;
  return (
    liesInRows(graph, node) ||
    (val instanceof FakeTensor && [...val.shape, ...val.strides].every((size) => typeof size === "number"))
  );
}
