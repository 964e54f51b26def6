import { isSconceError, SconceError, type Work } from "@sconce/errors";
import {
  type Argument,
  callPlace,
  type ExportedProgram,
  FakeTensor,
  forEachInput,
  type Graph,
  type InputSpec,
  isSymScalar,
  mapRefs,
  missingValues,
  NO_KWARGS,
  type Node,
  noValues,
  type OperandTable,
  rebuild,
  type Value,
} from "@sconce/ir";
import { dtypeInfo, Tensor } from "@sconce/tensor";
import { refRenamer } from "@sconce/trace";
import { constantInputs } from "../analysis/constants.js";
import { leavingValues } from "../analysis/leaving.js";
import { hasEffect } from "../graphs/dead-nodes.js";
import { withRenamed } from "../graphs/rename.js";
import { wholeNumber } from "../options/choices.js";
import type { OptionSpec } from "../options/spec.js";
import { definePass, type Evaluator, type PassContext } from "../pass/pass.js";
import { CallTable } from "./call-table.js";
import { badByteLimit, noEvaluator } from "./errors.js";

/** What becomes of calls of constants whose values are not known. */
export const missingValuesOption: OptionSpec = Object.freeze({
  default: "refuse",
  choices: ["refuse", "keep"],
  doc: "calls of state without values: refuse them (NO_VALUES), or keep them as constants without values",
});

/** `permute(w)` of a constant `w` becomes a constant. */
export const foldConstants = definePass({
  name: "fold-constants",
  doc: "Computes calls whose inputs are constant, and lifts the results as tensor constants.",
  requires: "ATEN",
  readsValues: true,
  options: {
    weights: {
      default: false,
      doc: "count parameters and buffers that nothing mutates as constants too (freezing)",
    },
    "missing-values": missingValuesOption,
    "max-bytes": {
      default: 1 << 20,
      check: wholeNumber(0),
      doc: "largest result kept, in bytes, unless its inputs together are larger",
    },
  },
  steps: (program, context, options) => foldSteps(program, context, foldOptions(options)),
});

const foldOptions = (options: {
  readonly weights: boolean;
  readonly "missing-values": unknown;
  readonly "max-bytes": number;
}): FoldOptions => ({
  pass: "fold-constants",
  missing: String(options["missing-values"]),
  weights: options.weights,
  maxBytes: byteLimit(options["max-bytes"]),
});

function byteLimit(bytes: number): number {
  if (!(bytes < 0)) return bytes;
  throw badByteLimit(bytes);
}

export interface FoldOptions {
  /** The pass that lifted constants name as their origin. */
  readonly pass: string;
  /** Parameters and buffers that nothing mutates count as constants. */
  readonly weights: boolean;
  readonly maxBytes: number;
  /** `refuse` or `keep`; see {@link missingValuesOption}. */
  readonly missing: string;
  /**
   * The graph before the pass rewrote it, by which errors name calls; that of the program when left
   * out.
   */
  readonly source?: Graph;
  /** The calls that may be folded; all when left out. */
  readonly only?: (node: Node) => boolean;
}

/**
 * Computes calls of constants and lifts what others read. @throws SconceError `NO_EVALUATOR`,
 * `NO_VALUES`
 */
export function* foldSteps(
  program: ExportedProgram,
  context: PassContext,
  options: FoldOptions,
): Work<ExportedProgram> {
  if (context.evaluate === undefined) throw noEvaluator(options.pass);
  return yield* new Folder(program, context, context.evaluate, options).run();
}

/** Nodes between two pauses: each may be a matrix product. */
const NODES_A_PIECE = 8;

/** A constant node: its value, and whether a tensor constant flows into it. */
interface Constant {
  readonly value: Value | readonly Value[];
  readonly rooted: boolean;
  /** The position of the first node with an equal call. */
  readonly first: number;
}

/** What becomes of a node: nothing, it goes, or it reads one that goes. */
const [STAYS, GOES, READS] = [0, 1, 2] as const;
type Mark = typeof STAYS | typeof GOES | typeof READS;

class Folder {
  readonly #program: ExportedProgram;
  readonly #context: PassContext;
  readonly #evaluate: Evaluator;
  readonly #options: FoldOptions;
  readonly #nodes: readonly Node[];
  readonly #operands: OperandTable;
  /** By position; undefined for nodes that are not constant. */
  readonly #known: (Constant | undefined)[];
  readonly #foldable = new Map<string, boolean>();
  readonly #calls: CallTable;
  /** Positions of computed nodes that nodes which stay read, in order of first use. */
  readonly #needed = new Set<number>();
  readonly #marks: Uint8Array;
  readonly #leaving: ReadonlySet<string>;
  /** Placeholders without values, and the first call that folding would have needed them for. */
  readonly #missing = new Map<string, string>();

  constructor(program: ExportedProgram, context: PassContext, evaluate: Evaluator, options: FoldOptions) {
    const { graph } = program;
    this.#program = program;
    this.#context = context;
    this.#evaluate = evaluate;
    this.#options = options;
    this.#nodes = graph.nodes();
    this.#operands = graph.operands;
    this.#known = new Array<Constant | undefined>(graph.size).fill(undefined);
    this.#calls = new CallTable(graph, (position) => this.#known[position]!.first);
    this.#marks = new Uint8Array(graph.size);
    this.#leaving = leavingValues(graph, context.operators);
  }

  *run(): Work<ExportedProgram> {
    this.#seed();
    for (let position = 0; position < this.#nodes.length; position++) {
      if (position % NODES_A_PIECE === 0) yield;
      this.#marks[position] = this.#visit(this.#nodes[position]!, position);
    }
    this.#refuseMissing();
    const lifted = [...this.#needed].filter((position) => !this.#isSeed(position));
    return lifted.length === 0 ? this.#program : this.#rebuild(lifted);
  }

  /** Returns whether a node is a constant of the program itself, which stays as it is. */
  #isSeed(position: number): boolean {
    return this.#nodes[position]!.op === "placeholder" && this.#known[position] !== undefined;
  }

  #seed(): void {
    for (const [name, value] of constantInputs(this.#program, this.#options.weights)) {
      const position = this.#program.graph.indexOf(name);
      this.#known[position] = { value, rooted: true, first: position };
    }
  }

  /** Computes a call of constants. Factories alone stay: they are cheaper to run than to store. */
  #visit(node: Node, position: number): Mark {
    if (node.op === "placeholder") return STAYS;
    const { offsets, positions } = this.#operands;
    const [start, end] = [offsets[position]!, offsets[position + 1]!];
    let isConstant = node.op === "call_function";
    let rooted = false;
    for (let at = start; at < end; at++) {
      const input = this.#known[positions[at]!];
      if (input === undefined) isConstant = false;
      else rooted ||= input.rooted;
    }
    // The caller may write to what he is given: it must not be a constant that the program keeps.
    if (isConstant && !this.#leaving.has(node.name) && this.#isFoldable(node)) {
      const equal = this.#calls.firstEqual(position);
      const known = equal < 0 ? undefined : this.#known[equal];
      const value = known === undefined ? this.#compute(node) : known.value;
      if (value instanceof Tensor || this.#isOnlyUnpacked(node, value)) {
        this.#known[position] = known ?? { value, rooted, first: position };
        return rooted ? GOES : STAYS;
      }
    }
    if (!rooted) return STAYS;
    for (let at = start; at < end; at++)
      if (this.#known[positions[at]!]?.rooted === true) this.#needed.add(positions[at]!);
    return READS;
  }

  /** Returns the constant that a node of this name holds, if it is one. */
  #constant(name: string): Constant | undefined {
    return this.#known[this.#program.graph.positionOf(name)];
  }

  /** Several tensors of which only `getitem` takes: no node that stays will ask for all. */
  #isOnlyUnpacked(node: Node, value: Value | readonly Value[]): boolean {
    if (!Array.isArray(value) || !value.every((item) => item instanceof Tensor)) return false;
    return this.#program.graph.users(node.name).every((user) => user.target === "operator.getitem");
  }

  #isFoldable(node: Node): boolean {
    if (hasSymbols(node.meta.val) || this.#options.only?.(node) === false) return false;
    let allowed = this.#foldable.get(node.target);
    if (allowed === undefined) {
      allowed = node.target === "operator.getitem" || this.#isPure(node);
      this.#foldable.set(node.target, allowed);
    }
    return allowed && this.#isSmall(node);
  }

  #isPure(node: Node): boolean {
    const { operators } = this.#context;
    const row = operators.get(node.target);
    if (row === undefined || hasEffect(node, operators) || row.schema.name.startsWith("empty")) return false;
    return !row.tags.includes("nondeterministic_seeded");
  }

  #isSmall(node: Node): boolean {
    const bytes = bytesOf(node.meta.val);
    // What is taken out of a computed tuple is there already.
    if (bytes <= this.#options.maxBytes || node.target === "operator.getitem") return true;
    let inputs = 0;
    forEachInput(node, (name) => {
      const value = this.#constant(name)?.value;
      if (value instanceof Tensor) inputs += value.numel * dtypeInfo(value.dtype).itemSize;
    });
    return bytes <= inputs;
  }

  #compute(node: Node): Value | readonly Value[] {
    const resolve = (argument: Argument): Argument =>
      mapRefs(argument, (input) => this.#constant(input.name)!.value as Argument);
    const args = node.args.map(resolve);
    if (node.target === "operator.getitem") return (args[0] as unknown as readonly Value[])[Number(args[1])]!;
    const kwargs: Record<string, Argument> = {};
    for (const key in node.kwargs) kwargs[key] = resolve(node.kwargs[key]!);
    try {
      const value = this.#evaluate(node.target, args, kwargs);
      // A view of what has no values has none either; other results (sizes, zeros of a shape) are
      // known all the same.
      return lacksValues(value) ? this.#unknown(node) : value;
    } catch (error) {
      if (isSconceError(error, "NO_VALUES") && this.#readsMissing(node)) return this.#unknown(node);
      throw error instanceof SconceError ? error.at(callPlace(node)) : error;
    }
  }

  /** Returns the result of a call whose values cannot be computed, by its metadata. */
  #unknown(node: Node): Value | readonly Value[] {
    forEachInput(node, (name) => {
      const isOwn =
        this.#isSeed(this.#program.graph.indexOf(name)) && lacksValues(this.#constant(name)!.value);
      if (isOwn && !this.#missing.has(name)) this.#missing.set(name, this.#readerOf(name, node));
    });
    return unknownValue(node.meta.val);
  }

  /** Returns the call of the program that came in: the pass may have rewritten it before. */
  #readerOf(placeholder: string, { name, meta: { origin } }: Node): string {
    const { pass, source } = this.#options;
    if (origin?.pass !== pass || source === undefined) return name;
    const readers = new Set(source.users(placeholder).map((user) => user.name));
    return origin.from.find((from) => readers.has(from)) ?? origin.from[0] ?? name;
  }

  #readsMissing(node: Node): boolean {
    let found = false;
    forEachInput(node, (name) => {
      found ||= lacksValues(this.#constant(name)!.value);
    });
    return found;
  }

  #refuseMissing(): void {
    if (this.#missing.size === 0 || this.#options.missing === "keep") return;
    const refused = missingValues(this.#program).flatMap((one) => {
      const reader = one.placeholder === null ? undefined : this.#missing.get(one.placeholder);
      return reader === undefined ? [] : [{ ...one, reader }];
    });
    throw noValues(`the pass "${this.#options.pass}"`, refused);
  }

  #rebuild(lifted: readonly number[]): ExportedProgram {
    const { graph, graphSignature } = this.#program;
    const constants = new Map(this.#program.constants);
    const placeholders: Node[] = [];
    const specs: InputSpec[] = [];
    const renamed = new Map<string, string>();
    const freeKey = keyMaker(this.#program);
    const names = new Map<number, string>();
    for (const position of lifted) {
      const { first, value } = this.#known[position]!;
      let name = names.get(first);
      if (name === undefined) {
        const target = freeKey();
        name = `c_${target}`;
        constants.set(target, value as Tensor);
        placeholders.push(this.#placeholder(name, this.#nodes[first]!));
        specs.push({ kind: "CONSTANT_TENSOR", arg: { kind: "tensor", name }, target, persistent: null });
        names.set(first, name);
      }
      renamed.set(this.#nodes[position]!.name, name);
    }
    const firstUser = graphSignature.inputSpecs.findIndex((spec) => spec.kind === "USER_INPUT");
    const at = firstUser === -1 ? graphSignature.inputSpecs.length : firstUser;
    const rename = refRenamer(renamed);
    const chosen = (node: Node, position: number): Node | undefined => {
      const mark = this.#marks[position];
      return mark === READS ? rename(node) : mark === STAYS ? node : undefined;
    };
    const folded = rebuild(
      graph,
      (node, position) => {
        const kept = chosen(node, position);
        if (position !== at) return kept ?? false;
        return kept === undefined ? placeholders : [...placeholders, kept];
      },
      { checkUses: false, inherit: false },
    );
    const inputSpecs = [
      ...graphSignature.inputSpecs.slice(0, at),
      ...specs,
      ...graphSignature.inputSpecs.slice(at),
    ];
    const next = withRenamed(this.#program, folded, renamed);
    return next.with({ graphSignature: { ...next.graphSignature, inputSpecs }, constants });
  }

  /** Its origin is the folded call, or where that came from when the pass made it itself. */
  #placeholder(name: string, { name: from, meta }: Node): Node {
    const { pass } = this.#options;
    const origin = meta.origin?.pass === pass ? meta.origin : { pass, from: [from] };
    return Object.freeze({
      name,
      op: "placeholder",
      target: name,
      args: [],
      kwargs: NO_KWARGS,
      meta: { val: meta.val ?? null, origin },
    });
  }
}

/** Returns `_folded_0`, `_folded_1`, ... past the names in use. */
function keyMaker({ graph, constants, stateDict }: ExportedProgram): () => string {
  let count = 0;
  return () => {
    for (; ; count++) {
      const key = `_folded_${count}`;
      if (!constants.has(key) && !stateDict.has(key) && !graph.has(`c_${key}`)) return `_folded_${count++}`;
    }
  };
}

const lacksValues = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(lacksValues) : value instanceof Tensor && !value.hasValues;

/**
 * Tensors without values of the type that metadata record; null for anything else, which then is
 * not folded.
 */
function unknownValue(val: unknown): Value | readonly Value[] {
  if (Array.isArray(val)) return val.map((item) => unknownValue(item) as Value);
  if (!(val instanceof FakeTensor)) return null;
  const [shape, strides] = [val.shape.map(Number), val.strides.map(Number)];
  return Tensor.withoutValues({ dtype: val.dtype, shape, strides });
}

function hasSymbols(val: unknown): boolean {
  if (val instanceof FakeTensor) return val.shape.some((size) => typeof size !== "number");
  if (Array.isArray(val)) return val.some(hasSymbols);
  return isSymScalar(val) && typeof val.expr === "object";
}

function bytesOf(val: unknown): number {
  if (Array.isArray(val)) return val.reduce((sum: number, item) => sum + bytesOf(item), 0);
  if (!(val instanceof FakeTensor)) return 0;
  return val.shape.reduce((product: number, size) => product * Number(size), dtypeInfo(val.dtype).itemSize);
}
