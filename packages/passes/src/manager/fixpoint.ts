/** @file Whether passes that are repeated come to an end. */
import { SconceError } from "@sconce/errors";
import { argumentText, type ExportedProgram, type Graph, lineOf, ref, withLine } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { mapInputs } from "../analysis/node-arguments.js";
import type { Repeat } from "../pass/pass.js";

/** How often a repetition may come to the same program. */
const SAME_PROGRAMS = 3;
/** In how many rounds in a row a program may grow. */
const GROWING_ROUNDS = 8;

/** A pass that changed the program in a round. */
export interface RoundChange {
  /** The name of the pass. */
  readonly pass: string;
  /** The plugin that the pass comes from. */
  readonly plugin?: string | undefined;
  /** How often each rewrite rule fired. */
  readonly fired: ReadonlyMap<string, number>;
  /** The pass gave another object for a program in which nothing changed. */
  readonly isSame: boolean;
  /** The first node that the pass changed, removed or inserted, with the user's line. */
  readonly where?: string | undefined;
}

/** Passes that are repeated and never converge. */
export class NoFixpoint extends SconceError {
  /** The passes that changed the program in the last round, in order. */
  readonly changes: readonly RoundChange[];
  /** The part of the pipeline that was repeated. */
  readonly repeat: Repeat;
  /** The program before the first round. */
  readonly program: ExportedProgram;

  constructor(why: string, fix: string, changes: readonly RoundChange[], start: Start) {
    super({
      code: "NO_FIXPOINT",
      message: `${why}: ${changes.map(changeText).join(", ")}`,
      where: changes.find(({ where }) => where !== undefined)?.where,
      fix,
    });
    this.changes = changes;
    this.repeat = start.repeat;
    this.program = start.program;
  }
}

/** Where a repetition began. */
interface Start {
  readonly repeat: Repeat;
  readonly program: ExportedProgram;
}

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
    const undo = "look for passes or rules that undo each other";
    const fail = (why: string, fix: string): NoFixpoint =>
      new NoFixpoint(why, fix, changes.map(explained), this.#start);
    // Most repetitions converge in the second round: what the first one gives need not be kept.
    if (round > 1 && this.#timesSeen(program) >= SAME_PROGRAMS) {
      const objects = changes.map(explained).every(({ isSame }) => isSame);
      if (objects)
        throw fail(
          `round ${round} gives another object for the same program`,
          "return the program that the pass was given when nothing changed",
        );
      throw fail(`round ${round} leads back to an earlier program`, undo);
    }
    if (this.#growing >= GROWING_ROUNDS)
      throw fail(`the program grows in each of ${GROWING_ROUNDS} rounds, to ${size} nodes`, undo);
    if (round >= this.#start.repeat.max)
      throw fail(`the program still changes in round ${round}`, `${undo}, or allow more rounds`);
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

/** The first node that is not in the graph afterwards as it was, else the first new one; nested graphs included. */
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

function changeText({ pass, plugin, fired }: RoundChange): string {
  const label = plugin === undefined ? `"${pass}"` : `"${pass}" of plugin "${plugin}"`;
  const rules = [...fired].map(([rule, count]) => `${rule} ${count}x`);
  return rules.length === 0 ? label : `${label} (${rules.join(", ")})`;
}

function firstOther(graph: Graph, other: Graph): string | undefined {
  const node = graph.nodes().find((one) => one.op !== "output" && other.find(one.name) !== one);
  return node && withLine(node.name, lineOf(graph, node.name));
}

/** A short text that is the same for programs which are the same but for the names and metadata of nodes. */
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
