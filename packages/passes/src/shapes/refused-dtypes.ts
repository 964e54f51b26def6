/** @file Calls of a program with dtypes that PyTorch's CPU kernels refuse. */
import { inScope, isSconceError, type Work, withoutStacks } from "@sconce/errors";
import { type ExportedProgram, type Graph, type Node, nodePlace } from "@sconce/ir";
import { bindArgs, constantValue, type OperatorTable, refuseDTypesDeep } from "@sconce/ops";
import { type RetraceEnv, shapeEnvOf } from "../trace/shape-env.js";

/**
 * Returns the first call whose dtypes PyTorch's CPU kernels refuse, and why, or undefined. Shape
 * rules accept such calls: the program can be exported and lowered, and fails when it runs. What it
 * is lowered to may run, therefore it is judged by the calls that it has. Nested graphs count, even
 * if no run reaches them.
 */
export function* refusedDTypeSteps(
  program: ExportedProgram,
  operators: OperatorTable,
): Work<string | undefined> {
  const env = shapeEnvOf(program);
  return yield* inScope(refusedIn(program.graph, operators, env), withoutStacks);
}

function* refusedIn(graph: Graph, operators: OperatorTable, env: RetraceEnv): Work<string | undefined> {
  for (const node of graph.nodes()) {
    if (node.op !== "call_function") continue;
    const refused = refusal(node, graph, operators, env);
    if (refused !== undefined) return refused;
    yield;
  }
  for (const nested of graph.subgraphs.values()) {
    const refused = yield* refusedIn(nested, operators, env);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function refusal(node: Node, graph: Graph, operators: OperatorTable, env: RetraceEnv): string | undefined {
  const { target, args, kwargs } = node;
  const row = operators.get(target);
  if (row === undefined) return undefined;
  try {
    const bound = bindArgs(row.schema, args, kwargs, ({ name }) => constantValue(graph.node(name).meta.val));
    refuseDTypesDeep(operators, [row, bound], env);
    return undefined;
  } catch (error) {
    // Other errors are for the check of calls, or for the run.
    if (isSconceError(error, "DTYPE_MISMATCH")) return `${nodePlace(node)}: ${error.message}`;
    if (isSconceError(error)) return undefined;
    throw error;
  }
}
