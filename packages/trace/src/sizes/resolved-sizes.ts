/**
 * @file Sizes of which a trace learns after values with them were made: those of views such as
 * `narrow`, and sizes of inputs that a decomposition finds equal.
 */
import {
  type ExportedProgram,
  FakeTensor,
  type Graph,
  isSymScalar,
  type MetaValue,
  rebuild,
  type SymScalar,
} from "@sconce/ir";
import type { IntLike } from "@sconce/symbolic";
import type { RetraceEnv } from "./retrace-env.js";

/** Sizes of the inputs of a program in whose place a trace of it knows something else. */
export const joinedSizes = (program: ExportedProgram, env: RetraceEnv): readonly string[] =>
  [...program.rangeConstraints.keys()].filter((name) => env.hints.has(name) && env.replacements.has(name));

/**
 * Returns the graph with what is known of symbols in the values of its nodes, where that is of
 * symbols that the source program lacks, or of its inputs.
 *
 * @param joined sizes of inputs in whose place something else is known
 */
export function withResolvedSizes(graph: Graph, env: RetraceEnv, joined: readonly string[]): Graph {
  if (joined.length === 0 && !env.hasResolved) return graph;
  return rebuild(graph, (node) => {
    const val = resolved(node.meta.val, env);
    return val === node.meta.val ? true : { ...node, meta: { ...node.meta, val: val! } };
  });
}

function resolved(val: MetaValue | undefined, env: RetraceEnv): MetaValue | undefined {
  if (isSymScalar(val)) {
    const expr = env.replace(val.expr);
    return expr === val.expr ? val : ({ kind: val.kind, expr } as SymScalar);
  }
  if (!(val instanceof FakeTensor)) return val;
  const known = (size: IntLike): IntLike => env.replace(size);
  const [shape, strides] = [val.shape.map(known), val.strides.map(known)];
  const isSame = shape.every((size, dim) => size === val.shape[dim]);
  if (isSame && strides.every((stride, dim) => stride === val.strides[dim])) return val;
  return new FakeTensor({ ...val, shape, strides });
}
