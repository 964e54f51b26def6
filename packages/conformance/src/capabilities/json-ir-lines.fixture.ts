/** @file What JSON IR keeps of a graph, as text. */
import { FakeTensor, type Graph, isSymScalar, type MetaValue, typeText } from "@sconce/ir";
import { argumentText } from "@sconce/ir/text";
import { SymExpr } from "@sconce/symbolic";

/**
 * Returns the type of a value: JSON IR has no strides, and scalars without symbols are constants.
 */
function typeOf(val: MetaValue | undefined): string {
  if (val instanceof FakeTensor) return typeText(val);
  if (Array.isArray(val)) return `(${(val as readonly MetaValue[]).map(typeOf).join(", ")})`;
  if (isSymScalar(val)) return val.expr instanceof SymExpr ? `${val.kind} ${String(val.expr)}` : "constant";
  return val === undefined || val === null ? "None" : "constant";
}

/**
 * Returns the nodes of a graph and its nested ones. Constants of the calling convention are left
 * out.
 */
export function linesOf(graph: Graph, path = ""): string[] {
  const own = graph.nodes().flatMap((node) => {
    const { name, op, target, args, kwargs, meta } = node;
    const isConstant = op === "placeholder" && !(meta.val instanceof FakeTensor) && !isSymScalar(meta.val);
    if (path === "" && (op === "output" || isConstant)) return [];
    const given = [...args, ...Object.entries(kwargs).flat()].map(argumentText);
    return [`${path}${name} ${op} ${target}(${given.join(", ")}) ${op === "output" ? "" : typeOf(meta.val)}`];
  });
  const nested = [...graph.subgraphs].flatMap(([target, one]) => linesOf(one, `${path}${target}.`));
  return [...own, ...nested];
}
