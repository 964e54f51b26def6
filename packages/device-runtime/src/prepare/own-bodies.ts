/** @file Bodies of control flow as they were before lowering. */
import { type ExportedProgram, FakeTensor, forEachInput, type Graph, rebuild } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { bodyOf, writesAny } from "./bodies.js";

/**
 * Returns a lowered program with the bodies of the program that it was lowered from. The host runs
 * bodies, whose calls refuse operands by their sizes: `narrow` refuses a place that is too large,
 * and the `slice` that it is lowered to gives fewer elements. Bodies that write, or that take other
 * inputs when they are lowered, stay as they are.
 */
export function withOwnBodies(
  lowered: ExportedProgram,
  original: ExportedProgram,
  operators: OperatorTable,
): ExportedProgram {
  const bodies = new Map(lowered.graph.subgraphs);
  // Lowering names bodies anew. Calls with bodies keep their order, and the order of their bodies.
  const [uses, usesBefore] = [bodyUses(lowered.graph), bodyUses(original.graph)];
  const isSame = uses.length === usesBefore.length && uses.every(({ by }, i) => by === usesBefore[i]!.by);
  if (!isSame) return lowered;
  for (const [i, { name, body }] of uses.entries()) {
    const before = usesBefore[i]!.body;
    if (!writesAny(before, operators) && haveSameInputs(before, body)) bodies.set(name, before);
  }
  const graph = rebuild(lowered.graph, () => true, { subgraphs: bodies });
  return graph === lowered.graph ? lowered : lowered.with({ graph });
}

/** A body that a call runs, and the call's target with the place of the body among its inputs. */
interface BodyUse {
  readonly by: string;
  readonly name: string;
  readonly body: Graph;
}
function bodyUses(graph: Graph): readonly BodyUse[] {
  const uses: BodyUse[] = [];
  for (const node of graph.calls()) {
    let place = 0;
    forEachInput(node, (input) => {
      const body = bodyOf(input, graph);
      if (body !== undefined)
        uses.push({ by: `${node.target} ${place}`, name: graph.node(input).target, body });
      place++;
    });
  }
  return uses;
}

/** Returns whether two bodies take as many values, of the same kinds. */
function haveSameInputs(one: Graph, other: Graph): boolean {
  const [a, b] = [kindsOf(one), kindsOf(other)];
  return a.length === b.length && a.every((kind, i) => kind === b[i]);
}
const kindsOf = (graph: Graph): string[] =>
  graph.placeholders().map(({ meta: { val } }) => (val instanceof FakeTensor ? val.dtype : "value"));
