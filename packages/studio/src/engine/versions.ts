/** @file The programs that a page holds: opened ones and what passes made of them. */
import { type Hierarchy, hierarchyOf, type Item } from "@sconce/drawing";
import type { ExportedProgram, Graph, Node } from "@sconce/ir";
import { diffPrograms, type ProgramDifference } from "@sconce/ir/diff";
import { unknownVersion } from "../errors.js";
import type { VersionInfo } from "./protocol.js";

/** One program with what was derived from it. */
export class Version {
  readonly id: number;
  readonly program: ExportedProgram;
  readonly parent: number | undefined;
  readonly title: string;
  readonly #hierarchies = new Map<boolean, Hierarchy>();
  /** In what later versions differ from this one; each is found once. */
  readonly #differences = new WeakMap<Version, ProgramDifference>();
  #keys: Map<string, Item> | undefined;
  #nodes: Map<string, Item> | undefined;

  constructor(id: number, program: ExportedProgram, title: string, parent?: number) {
    this.id = id;
    this.program = program;
    this.title = title;
    this.parent = parent;
  }

  /** With groups for modules, or without. */
  hierarchy(modules = true): Hierarchy {
    let found = this.#hierarchies.get(modules);
    if (found === undefined) {
      found = hierarchyOf(this.program, { modules });
      this.#hierarchies.set(modules, found);
    }
    return found;
  }

  /** Returns the item of a key, in the hierarchy with modules. */
  item(key: string): Item | undefined {
    this.#keys ??= new Map(this.hierarchy().items.map((item) => [item.key, item]));
    return this.#keys.get(key);
  }

  /** Returns the graph that an item's node is in, and the node. */
  nodeOf({
    graph,
    node,
  }: Pick<Item, "graph" | "node">): { readonly graph: Graph; readonly node: Node } | undefined {
    const found = graph.reduce<Graph | undefined>(
      (around, target) => around?.subgraphs.get(target),
      this.program.graph,
    );
    const own = node === undefined ? undefined : found?.find(node);
    return found === undefined || own === undefined ? undefined : { graph: found, node: own };
  }

  /** Returns the key of a node by the path of its graph, `/` between names. */
  keyOf(graph: string, node: string): string | undefined {
    this.#nodes ??= new Map(this.hierarchy().items.map((item) => [nodePath(item), item]));
    return this.#nodes.get(`${graph}/${node}`)?.key;
  }

  /** In what a later version differs from this one, but for metadata. */
  differenceTo(after: Version): ProgramDifference {
    let difference = this.#differences.get(after);
    if (difference === undefined) {
      difference = diffPrograms(this.program, after.program, { ignoreMetadata: true });
      this.#differences.set(after, difference);
    }
    return difference;
  }

  info(): VersionInfo {
    const { id, parent, title, program } = this;
    return { id, parent, title, nodes: nodeCount(program.graph), dialect: program.dialect };
  }
}

/** Returns the path of an item's graph and the name of its node, `/` between names. */
export const nodePath = ({ graph, node }: Pick<Item, "graph" | "node">): string =>
  `${graph.join("/")}/${node ?? ""}`;

/** Nodes of a graph and of the graphs in it. */
function nodeCount(graph: Graph): number {
  let count = 0;
  const stack = [graph];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    count += next.size;
    stack.push(...next.subgraphs.values());
  }
  return count;
}

/** All versions of a page by their number. */
export class Versions {
  readonly #versions: Version[] = [];

  add(program: ExportedProgram, title: string, parent?: number): Version {
    const version = new Version(this.#versions.length, program, title, parent);
    this.#versions.push(version);
    return version;
  }

  /** @throws SconceError `STUDIO_VERSION` */
  get(id: number): Version {
    const version = this.#versions[id];
    if (version === undefined) throw unknownVersion(id, this.#versions.length);
    return version;
  }
}
