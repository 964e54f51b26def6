import { type JsonIR, programOfIR } from "@sconce/formats/json-ir";
import {
  type ExportedProgram,
  edit,
  FakeTensor,
  isSymScalar,
  type MetaValue,
  type Node,
  rebuild,
  typeText,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { propagateShapes } from "@sconce/passes";
import { otherType } from "../errors.js";
import { checkResultCounts } from "./result-counts.js";

/**
 * Builds the program that JSON IR describes. Types of values come from the operators, and must be
 * those of the JSON.
 * @throws SconceError `JSON_IR_GRAPH`, `SHAPE_CONTRADICTION` with the node
 */
export function programFromIR(ir: JsonIR, session: { readonly operators: OperatorTable }): ExportedProgram {
  const { operators } = session;
  const declared = programOfIR(ir, { operators });
  checkResultCounts(declared, operators);
  // A call that gives a size which only the data decide keeps its name for it.
  const isGiven = ({ op, meta }: Node): boolean =>
    op === "placeholder" || meta.unbackedBindings !== undefined;
  const bare = rebuild(declared.graph, (node) => (isGiven(node) ? true : { ...node, meta: {} }));
  const typed = propagateShapes(declared.with({ graph: bare }), operators);
  // Calls whose operators have no rule keep what the JSON says.
  const values = new Map<string, MetaValue>();
  const graph = rebuild(typed.graph, (node) => {
    const known = declared.graph.find(node.name)?.meta.val;
    if (node.op === "output") return true;
    const val = mergeOf(node.meta.val, known, node.name);
    if (val !== undefined) values.set(node.name, val);
    return val === node.meta.val ? true : { ...node, meta: val === undefined ? {} : { ...node.meta, val } };
  });
  const outputs = declared.graphSignature.outputSpecs.map(({ arg }) => values.get(arg.name) ?? null);
  return declared.with({ graph: edit(graph, (e) => void e.setMeta("output", { val: outputs })) });
}

/** The computed value, which must have the declared type; the declared one where none is known. */
function mergeOf(
  computed: MetaValue | undefined,
  declared: MetaValue | undefined,
  name: string,
): MetaValue | undefined {
  if (computed === undefined || computed === null) return declared;
  if (declared === undefined) return computed;
  const [got, want] = [typesOf(computed), typesOf(declared)];
  if (got !== want) throw otherType(name, want, got);
  return computed;
}

function typesOf(value: MetaValue): string {
  if (value instanceof FakeTensor) return typeText(value);
  if (Array.isArray(value)) return `(${(value as readonly MetaValue[]).map(typesOf).join(", ")})`;
  if (isSymScalar(value)) return `${value.kind} ${String(value.expr)}`;
  return "no tensor";
}
