/** @file Whether passes that are repeated come to an end. */
import { type ExportedProgram, type Graph, lineOf, ref, withLine } from "@sconce/ir";
import { argumentText } from "@sconce/ir/text";
import type { Tensor } from "@sconce/tensor";
import { mapInputs } from "@sconce/trace";
import type { Repeat } from "../pass/pass.js";
import {
  earlierProgram,
  keepsGrowing,
  otherObject,
  type RoundChange,
  type Start,
  stillChanges,
} from "./fixpoint-errors.js";

/** How often a repetition may come to the same program. */
const SAME_PROGRAMS = 3;
/** In how many rounds in a row a program may grow. */
const GROWING_ROUNDS = 8;

/** A change as the pass manager notes it. */
interface NotedChange extends Omit<RoundChange, "isSame" | "where"> {
  readonly before: ExportedProgram;
  readonly after: ExportedProgram;
}

/** Watches the rounds of one repetition. */
export class Rounds {
  readonly #start: Start;
  readonly #seen = new Map<string, number>();
  #round = 0;
  #growing = 0;
  #size: number;

  constructor(repeat: Repeat, program: ExportedProgram) {
    this.#start = { repeat, program };
    this.#size = program.graph.size;
  }

  /**
   * Takes note of the program after a round that changed it.
   * @throws SconceError `NO_FIXPOINT`
   */
  add(program: ExportedProgram, changes: readonly NotedChange[]): void {
    const round = ++this.#round;
    const { size } = program.graph;
    this.#growing = size > this.#size ? this.#growing + 1 : 0;
    this.#size = size;
    // Most repetitions converge in the second round: what the first one gives need not be kept.
    const seen = round > 1 ? this.#timesSeen(program) : 0;
    const isEndless =
      seen >= SAME_PROGRAMS || this.#growing >= GROWING_ROUNDS || round >= this.#start.repeat.max;
    if (!isEndless) return;
    const rounds = { round, changes: changes.map(explained), start: this.#start };
    if (seen >= SAME_PROGRAMS)
      throw rounds.changes.every(({ isSame }) => isSame) ? otherObject(rounds) : earlierProgram(rounds);
    throw this.#growing >= GROWING_ROUNDS ? keepsGrowing(rounds, GROWING_ROUNDS, size) : stillChanges(rounds);
  }

  #timesSeen(program: ExportedProgram): number {
    const key = fingerprint(program);
    const count = (this.#seen.get(key) ?? 0) + 1;
    this.#seen.set(key, count);
    return count;
  }
}

const explained = ({ pass, plugin, fired, before, after }: NotedChange): RoundChange => ({
  pass,
  plugin,
  fired,
  isSame: fingerprint(before) === fingerprint(after),
  where: firstChange(before.graph, after.graph),
});

/**
 * Returns the first node that is not in the graph afterwards as it was, else the first new one;
 * nested graphs included.
 */
function firstChange(before: Graph, after: Graph): string | undefined {
  const found = firstOther(before, after) ?? firstOther(after, before);
  if (found !== undefined) return found;
  for (const [target, nested] of before.subgraphs) {
    const other = after.subgraphs.get(target);
    const inner = other === undefined || other === nested ? undefined : firstChange(nested, other);
    if (inner !== undefined) return `${target}.${inner}`;
  }
  return undefined;
}

function firstOther(graph: Graph, other: Graph): string | undefined {
  const node = graph.nodes().find((one) => one.op !== "output" && other.find(one.name) !== one);
  return node && withLine(node.name, lineOf(graph, node.name));
}

/**
 * Returns a short text that is the same for programs which are the same but for the names and
 * metadata of nodes.
 */
function fingerprint(program: ExportedProgram): string {
  const { dialect, graph, graphSignature, stateDict, constants } = program;
  const hash = new Hash();
  hash.add(dialect);
  addGraph(hash, graph);
  for (const { kind, target } of [...graphSignature.inputSpecs, ...graphSignature.outputSpecs])
    hash.add(`${kind} ${target}`);
  for (const [name, tensor] of [...stateDict, ...constants]) hash.add(`${name} ${idOf(tensor)}`);
  return hash.text;
}

function addGraph(hash: Hash, graph: Graph): void {
  for (const node of graph.nodes()) {
    const { op, target, args, kwargs } = mapInputs(node, ({ name }) => ref(`#${graph.indexOf(name)}`));
    hash.add(`${op} ${op === "placeholder" ? "" : target}`);
    for (const argument of args) hash.add(argumentText(argument));
    for (const key in kwargs) hash.add(`${key}=${argumentText(kwargs[key]!)}`);
  }
  for (const [target, nested] of graph.subgraphs) {
    hash.add(`graph ${target}`);
    addGraph(hash, nested);
  }
}

const ids = new WeakMap<Tensor, number>();
let lastId = 0;

/** Versions of a program share their tensors: another object is another value. */
function idOf(tensor: Tensor): number {
  const id = ids.get(tensor) ?? ++lastId;
  ids.set(tensor, id);
  return id;
}

/** Two 32-bit hashes (FNV-1a and a variant) of all texts, and how long they are. */
class Hash {
  #a = 0x811c9dc5;
  #b = 0x9e3779b9;
  #length = 0;

  add(text: string): void {
    for (let i = 0; i < text.length; i++) this.#mix(text.charCodeAt(i));
    this.#mix(0xffff);
    this.#length += text.length;
  }

  #mix(code: number): void {
    this.#a = Math.imul(this.#a ^ code, 0x01000193);
    this.#b = Math.imul(this.#b ^ code, 0x85ebca6b) ^ (this.#b >>> 13);
  }

  get text(): string {
    return `${this.#length} ${this.#a} ${this.#b}`;
  }
}
