import type { Work } from "@sconce/errors";
import {
  type DialectRules,
  type DimOrder,
  dimOrderOf,
  type ExportedProgram,
  FakeTensor,
  type Graph,
  type MetaValue,
  type Node,
  type NodeMeta,
  type Problem,
  rebuild,
} from "@sconce/ir";
import { CORE_ATEN, DIM_ORDER_OPERATORS, EDGE, verifyGraphSteps } from "@sconce/ir/verify";
import type { OperatorTable } from "@sconce/ops";
import { shapeEnvOf } from "@sconce/trace";
import { decompositionSteps } from "../decompose/run-decompositions.js";
import { mapSubgraphSteps } from "../graphs/subgraphs.js";
import { definePass, type PassContext } from "../pass/pass.js";
import { defaultDecompositions } from "../tables/table.js";
import { withOneDType } from "./edge-operands.js";
import { notInDialect } from "./errors.js";

/** PyTorch's decompositions; what they leave outside of the core set is refused. */
export const coreAten = definePass({
  name: "core-aten",
  doc: "Decomposes the program, and rejects operators outside the core ATen set (`NOT_IN_DIALECT`).",
  ensures: "CORE_ATEN",
  steps: inCoreAten,
});

function* inCoreAten(
  program: ExportedProgram,
  { operators, decompositions }: PassContext,
): Work<ExportedProgram> {
  const isCore = program.dialect === "CORE_ATEN";
  if (isCore && (yield* refusalsOf(program.graph, CORE_ATEN, operators)).length === 0) return program;
  const table = decompositions?.() ?? defaultDecompositions(operators);
  const lowered = yield* decompositionSteps(program, table, { operators });
  yield* requireDialect(lowered.graph, CORE_ATEN, operators);
  return lowered.with({ dialect: "CORE_ATEN" });
}

/** The edge dialect: see `docs/concepts/ir.md`. */
export const toEdge = definePass({
  name: "to-edge",
  doc: "Lowers a core ATen program to the edge dialect: explicit type promotion, tensors in place of numbers, dimension orders in place of memory formats.",
  requires: "CORE_ATEN",
  ensures: "EDGE",
  steps: inEdge,
});

function* inEdge(program: ExportedProgram, { operators }: PassContext): Work<ExportedProgram> {
  const env = shapeEnvOf(program);
  const inForm = function* (graph: Graph): Work<Graph> {
    const typed = yield* withOneDType(graph, operators, env);
    yield;
    const ordered = withDimOrders(typed);
    yield;
    return yield* mapSubgraphSteps(ordered, inForm);
  };
  const graph = yield* inForm(program.graph);
  yield* requireDialect(graph, EDGE, operators);
  return program.with({ graph, dialect: "EDGE" });
}

/** @throws SconceError `NOT_IN_DIALECT` with every node that the dialect refuses */
function* requireDialect(graph: Graph, rules: DialectRules, operators: OperatorTable): Work<void> {
  const refused = yield* refusalsOf(graph, rules, operators);
  if (refused.length === 0) return;
  throw notInDialect(rules.name, refused, whereOf(refused[0]!));
}

function* refusalsOf(graph: Graph, rules: DialectRules, operators: OperatorTable): Work<Problem[]> {
  const problems = yield* verifyGraphSteps(graph, rules, { operators }, () => true);
  return problems.filter(({ code }) => REFUSALS.has(code));
}

const REFUSALS: ReadonlySet<string> = new Set(["OPERATOR_REFUSED", "NODE_REFUSED"]);

const whereOf = ({ graph, node, line }: Problem): string =>
  [[graph, node].filter(Boolean).join("."), line].filter(Boolean).join(", ");

function withDimOrders(graph: Graph): Graph {
  return rebuild(graph, (node) => {
    const dimOrder = ordersOf(node.meta.val);
    if (dimOrder === undefined || node.op === "output") return true;
    return { ...inDimOrder(node, dimOrder), meta: { ...node.meta, dimOrder } };
  });
}

/**
 * Returns a copy or an empty tensor with the order of its dimensions in place of a memory format;
 * other nodes as they are.
 */
function inDimOrder(node: Node, dimOrder: NodeMeta["dimOrder"]): Node {
  const target = node.op === "call_function" ? DIM_ORDER_OPERATORS.get(node.target) : undefined;
  if (target === undefined || dimOrder === undefined) return node;
  const { memory_format: _, ...kwargs } = node.kwargs;
  return { ...node, target, kwargs: { ...kwargs, dim_order: dimOrder as DimOrder } };
}

function ordersOf(val: MetaValue | undefined): NodeMeta["dimOrder"] {
  if (val instanceof FakeTensor) return dimOrderOf(val);
  if (!Array.isArray(val)) return undefined;
  const orders = (val as readonly MetaValue[]).map((item): DimOrder | null =>
    item instanceof FakeTensor ? dimOrderOf(item) : null,
  );
  return orders.some((order) => order !== null) ? orders : undefined;
}
