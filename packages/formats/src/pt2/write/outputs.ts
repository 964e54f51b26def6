/** @file What a call returns, and the names that its results have in the file. */
import { type Graph, isInt, isRef, type MetaValue, type Node, type OpSchema } from "@sconce/ir";
import { GETITEM } from "./functions.js";

/**
 * Finds the `getitem` nodes of results; several that read one result count as the first of them.
 */
export class ResultNames {
  readonly #graph: Graph;
  /** Later `getitem` nodes of a result, by name, with the first. */
  readonly #first = new Map<string, string>();
  /** The same the other way round. */
  readonly #later = new Map<string, string[]>();
  readonly #readers = new Map<string, Map<number, Node[]>>();

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** Returns the name under which the file has a node. */
  nameOf(name: string): string {
    return this.#first.get(name) ?? name;
  }

  /** Returns a user of the node that is no `getitem`: such a call cannot be written in parts. */
  wholeUser(name: string): Node | undefined {
    return this.#users(name).find((user) => !isGetitemOf(user, name));
  }

  /** Returns the node that reads a result. */
  reader(name: string, index: number): string | undefined {
    const [first, ...later] = this.#readersOf(name).get(index) ?? [];
    if (first === undefined) return undefined;
    for (const user of later) {
      this.#first.set(user.name, first.name);
      const shown = this.#later.get(first.name);
      if (shown === undefined) this.#later.set(first.name, [user.name]);
      else shown.push(user.name);
    }
    return first.name;
  }

  /** Returns the `getitem` nodes of each result of a call. */
  #readersOf(name: string): ReadonlyMap<number, readonly Node[]> {
    let readers = this.#readers.get(name);
    if (readers === undefined) {
      readers = new Map();
      for (const user of this.#users(name)) {
        if (!isGetitemOf(user, name)) continue;
        const index = Number(user.args[1]);
        const known = readers.get(index);
        if (known === undefined) readers.set(index, [user]);
        else known.push(user);
      }
      this.#readers.set(name, readers);
    }
    return readers;
  }

  /** Returns the users of a node; those of what is the same node in the file count as its own. */
  #users(name: string): Node[] {
    const own = [...this.#graph.users(name)];
    for (const later of this.#later.get(name) ?? []) own.push(...this.#graph.users(later));
    return own;
  }
}

const isGetitemOf = (user: Node, name: string): boolean => {
  const [source, index] = user.args;
  return (
    user.target === GETITEM && isRef(source) && source.name === name && index !== undefined && isInt(index)
  );
};

/** A result of a call: with a name in the file, None, or a list. */
export type Result =
  | { readonly kind: "value"; readonly name: string; readonly val: MetaValue | undefined }
  | { readonly kind: "none" }
  | { readonly kind: "list"; readonly items: readonly Result[] };

const isList = (val: MetaValue | undefined): val is readonly MetaValue[] => Array.isArray(val);

/** How the results of a call are arranged. */
type Arrangement = "none" | "one" | "list" | "several";

function arrangementOf(node: Node, schema: OpSchema | undefined): Arrangement {
  const { val } = node.meta;
  if (schema === undefined ? val === undefined : schema.returns.length === 0) return "none";
  if (!isList(val)) return "one";
  const [only, ...others] = schema?.returns ?? [];
  if (only === undefined) return node.meta.callForm?.returnsList === true ? "list" : "several";
  if (others.length > 0) return "several";
  return only.type.list ? "list" : "one";
}

/** Returns the results of a call, in order, with the names of the nodes that read them. */
export function resultsOf(node: Node, schema: OpSchema | undefined, names: ResultNames): readonly Result[] {
  const { val } = node.meta;
  switch (arrangementOf(node, schema)) {
    case "none":
      return [];
    case "one":
      return [named(node.name, val)];
    case "list":
      return [{ kind: "list", items: itemsOf(node.name, val as readonly MetaValue[], names, node.name) }];
    case "several":
      return (val as readonly MetaValue[]).map((item, i) => resultAt(node.name, item, i, names));
  }
}

const named = (name: string, val: MetaValue | undefined): Result =>
  val === null ? { kind: "none" } : { kind: "value", name, val };

function resultAt(node: string, val: MetaValue, index: number, names: ResultNames): Result {
  const reader = names.reader(node, index);
  const unused = `${node}_unused_${index}`;
  if (!isList(val)) return named(reader ?? unused, val);
  return { kind: "list", items: itemsOf(reader, val, names, unused) };
}

/**
 * Items of a list that `source` gives; without a node that reads it they are named after `unused`.
 */
function itemsOf(
  source: string | undefined,
  values: readonly MetaValue[],
  names: ResultNames,
  unused: string,
): readonly Result[] {
  return values.flatMap((val, i) => {
    if (val === null) return [];
    const reader = source === undefined ? undefined : names.reader(source, i);
    const fallback = source === undefined ? `${unused}_${i}` : `${source}_unused_${i}`;
    return [named(reader ?? fallback, val)];
  });
}
