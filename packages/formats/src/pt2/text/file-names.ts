/** @file The names that values and nested graphs have in a file, where their own are not safe. */
import type { Graph } from "@sconce/ir";
import { asciiName } from "./identifiers.js";
import { textFault } from "./rules.js";

/** Gives names of a graph as the file has them: those that PyTorch can take stay as they are. */
export class FileNames {
  readonly #kind: "value" | "graph";
  readonly #isTaken: (name: string) => boolean;
  readonly #kept: ReadonlySet<string>;
  /** New names by old ones. */
  readonly #renamed = new Map<string, string>();
  readonly #given = new Set<string>();
  /** The last number that a name got: names that differ in signs only are many in some files. */
  readonly #counts = new Map<string, number>();

  private constructor(
    kind: "value" | "graph",
    isTaken: (name: string) => boolean,
    kept: ReadonlySet<string> = new Set(),
  ) {
    this.#kind = kind;
    this.#isTaken = isTaken;
    this.#kept = kept;
  }

  /**
   * Returns the names of the values of a graph; `kept` are names of inputs, which other rules hold
   * for.
   */
  static ofValues(graph: Graph, kept?: ReadonlySet<string>): FileNames {
    return new FileNames("value", (name) => graph.find(name) !== undefined, kept);
  }

  /** Returns the names of the graphs that a graph holds. */
  static ofGraphs(graph: Graph): FileNames {
    return new FileNames("graph", (name) => graph.subgraphs.has(name) || graph.find(name) !== undefined);
  }

  /** The new names by the old ones, of those that were asked for. */
  get renamed(): ReadonlyMap<string, string> {
    return this.#renamed;
  }

  /** Returns the name in the file: the same for the same name, and of one value only. */
  of(name: string): string {
    const known = this.#renamed.get(name);
    if (known !== undefined) return known;
    if (this.#kept.has(name) || textFault(this.#kind, name) === undefined) return name;
    const base = asciiName(name);
    let count = this.#counts.get(base) ?? 0;
    let given = count === 0 ? base : `${base}_${count}`;
    while (this.#isBad(given)) given = `${base}_${++count}`;
    this.#counts.set(base, count);
    this.#given.add(given);
    this.#renamed.set(name, given);
    return given;
  }

  #isBad(name: string): boolean {
    return this.#given.has(name) || this.#isTaken(name) || textFault(this.#kind, name) !== undefined;
  }
}
