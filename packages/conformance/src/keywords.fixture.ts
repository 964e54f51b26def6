/** @file Arguments with a place in the schema of their operator, given by keyword all the same. */
import { type ExportedProgram, edit, type Graph, rebuild } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";

const operators = defaultOperators();

/** Assertions keep their form: their messages name the node of their condition. */
const isPlaced = (target: string): boolean =>
  target.startsWith("aten.") && target !== "aten._assert_scalar.default";

/** Returns the program with all arguments of operators by keyword. */
export const byKeyword = (program: ExportedProgram): ExportedProgram =>
  program.with({ graph: keywordsOf(program.graph) });

function keywordsOf(graph: Graph): Graph {
  const own = rebuild(graph, (node) => {
    const schema = node.op === "call_function" ? operators.schemaOf(node.target) : undefined;
    if (schema === undefined || node.args.length === 0 || !isPlaced(node.target)) return true;
    const placed = node.args.map((arg, at) => [schema.args[at]!.name, arg] as const);
    return { ...node, args: [], kwargs: { ...Object.fromEntries(placed), ...node.kwargs } };
  });
  return edit(own, (editor) => {
    for (const [target, nested] of graph.subgraphs) editor.setSubgraph(target, keywordsOf(nested));
  });
}
