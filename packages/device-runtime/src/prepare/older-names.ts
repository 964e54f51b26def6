/**
 * @file Tensors whose sizes a program changes in place (`t_`), and then reads by an older name: it
 * records the sizes before of that name.
 */
import { forEachInput, type Graph, isRef, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";

/** Calls that make another view of the tensor that they are given. */
const IN_PLACE_VIEW =
  /^aten\.(t|transpose|swapaxes|swapdims|squeeze|unsqueeze|as_strided|resize|resize_as)_\./;

/**
 * Returns whether a graph, or one that it holds, reads such a tensor: `seen` are those without one.
 */
export function readsOlderName(
  graph: Graph,
  operators: OperatorTable,
  seen: Set<Graph> = new Set(),
): boolean {
  if (seen.has(graph)) return false;
  seen.add(graph);
  const own = new OlderNames();
  return (
    graph.nodes().some((node) => own.reads(node, operators)) ||
    [...graph.subgraphs.values()].some((nested) => readsOlderName(nested, operators, seen))
  );
}

class OlderNames {
  /** The first names of tensors that writes return, by the names of the results. */
  readonly #first = new Map<string, string>();
  /** By first names, those that a tensor got when its sizes were changed, and later. */
  readonly #newer = new Map<string, Set<string>>();

  /** Nodes come in their order. */
  reads(node: Node, operators: OperatorTable): boolean {
    let found = false;
    forEachInput(node, (name) => {
      const newer = this.#newer.get(this.#firstOf(name));
      found ||= newer !== undefined && !newer.has(name);
    });
    const [self] = node.args;
    if (!found && isRef(self) && operators.schemaOf(node.target)?.isMutable === true)
      this.#note(node, this.#firstOf(self.name));
    return found;
  }

  #firstOf(name: string): string {
    return this.#first.get(name) ?? name;
  }

  #note({ name, target }: Node, first: string): void {
    this.#first.set(name, first);
    if (IN_PLACE_VIEW.test(target)) this.#newer.set(first, new Set([name]));
    else this.#newer.get(first)?.add(name);
  }
}
