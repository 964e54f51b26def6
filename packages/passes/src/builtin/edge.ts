/** @file Lowering to core ATen and to the edge dialect. */
import { SconceError } from "@sconce/errors";
import {
  CORE_ATEN,
  type DialectRules,
  type DimOrder,
  dimOrderOf,
  dtypeLiteral,
  EDGE,
  edit,
  FakeTensor,
  type Graph,
  isFloat,
  isInt,
  isRef,
  type MetaValue,
  type Node,
  type NodeMeta,
  type Problem,
  rebuild,
  ref,
  verifyGraph,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { DType } from "@sconce/tensor";
import { runDecompositions } from "../decompose/run-decompositions.js";
import { defaultDecompositions } from "../decompose/table.js";
import { definePass } from "../pass.js";
import { mapSubgraphs } from "./subgraphs.js";

/** PyTorch's decompositions; what they leave outside of the core set is refused. */
export const coreAten = definePass({
  name: "core-aten",
  doc: "Decomposes the program and refuses it unless all its operators are in the core ATen set.",
  ensures: "CORE_ATEN",
  run(program, { operators, decompositions }) {
    const isCore = program.dialect === "CORE_ATEN";
    if (isCore && refusalsOf(program.graph, CORE_ATEN, operators).length === 0) return program;
    const table = decompositions?.() ?? defaultDecompositions(operators);
    const lowered = runDecompositions(program, table, { operators });
    requireDialect(lowered.graph, CORE_ATEN, operators);
    return lowered.with({ dialect: "CORE_ATEN" });
  },
});

/** The edge dialect: see `docs/concepts/ir.md`. */
export const toEdge = definePass({
  name: "to-edge",
  doc: "Makes numbers that stand for tensors tensors, records the dimension order of every tensor, and refuses what the edge dialect does not allow.",
  requires: "CORE_ATEN",
  ensures: "EDGE",
  run(program, { operators }) {
    const graph = inEdgeForm(program.graph, operators);
    requireDialect(graph, EDGE, operators);
    return program.with({ graph, dialect: "EDGE" });
  },
});

const inEdgeForm = (graph: Graph, operators: OperatorTable): Graph =>
  mapSubgraphs(withDimOrders(withTensors(graph, operators)), (nested) => inEdgeForm(nested, operators));

/** @throws SconceError `NOT_IN_DIALECT` with every node that the dialect refuses */
function requireDialect(graph: Graph, rules: DialectRules, operators: OperatorTable): void {
  const refused = refusalsOf(graph, rules, operators);
  if (refused.length === 0) return;
  const shown = refused
    .slice(0, 10)
    .map(({ message, line }) => (line === undefined ? message : `${message} (${line})`));
  if (refused.length > shown.length) shown.push(`and ${refused.length - shown.length} more`);
  throw new SconceError({
    code: "NOT_IN_DIALECT",
    message: `the program cannot be lowered to ${rules.name}: ${shown.join("; ")}`,
    where: whereOf(refused[0]!),
    fix: "give a decomposition of the operator, or rewrite the call, before the pass",
  });
}

const refusalsOf = (graph: Graph, rules: DialectRules, operators: OperatorTable): Problem[] =>
  verifyGraph(graph, rules, { operators }, () => true).filter(({ code }) => REFUSALS.has(code));

const REFUSALS: ReadonlySet<string> = new Set(["OPERATOR_REFUSED", "NODE_REFUSED"]);

const whereOf = ({ graph, node, line }: Problem): string =>
  [[graph, node].filter(Boolean).join("."), line].filter(Boolean).join(", ");

function withDimOrders(graph: Graph): Graph {
  return rebuild(graph, (node) => {
    const dimOrder = ordersOf(node.meta.val);
    if (dimOrder === undefined || node.op === "output") return true;
    return { ...node, meta: { ...node.meta, dimOrder } };
  });
}

function ordersOf(val: MetaValue | undefined): NodeMeta["dimOrder"] {
  if (val instanceof FakeTensor) return dimOrderOf(val);
  if (!Array.isArray(val)) return undefined;
  const orders = (val as readonly MetaValue[]).map((item): DimOrder | null =>
    item instanceof FakeTensor ? dimOrderOf(item) : null,
  );
  return orders.some((order) => order !== null) ? orders : undefined;
}

/** Dtypes in which a number rounds as the operator would round it: smaller floats compute with the number in float32. */
const EXACT: ReadonlySet<DType> = new Set<DType>([
  "float32",
  "float64",
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
]);

/** Numbers that stand for tensors, as tensors without dimensions. */
function withTensors(graph: Graph, operators: OperatorTable): Graph {
  return edit(graph, (editor) => {
    for (const node of graph.nodes()) {
      if (node.op !== "call_function" || !operators.tagsOf(node.target).includes("pointwise")) continue;
      const dtype = commonDtype(node, graph);
      const schema = operators.schemaOf(node.target);
      if (dtype === undefined || schema === undefined) continue;
      const args = node.args.map((value, i) => {
        const { type } = schema.args[i] ?? {};
        if (type?.base !== "Tensor" || type.list || !fits(value, dtype)) return value;
        const name = editor.freshName("full");
        const full = new FakeTensor({ dtype, shape: [], strides: [] });
        const { stackTrace, nnModuleStack } = node.meta;
        editor.insertBefore(node.name, {
          name,
          op: "call_function",
          target: "aten.full.default",
          args: [[], value],
          kwargs: { dtype: dtypeLiteral(dtype) },
          meta: {
            val: full,
            ...(stackTrace !== undefined && { stackTrace }),
            ...(nnModuleStack !== undefined && { nnModuleStack }),
            origin: { pass: "to-edge", from: [node.name] },
          },
        });
        return ref(name);
      });
      if (args.some((value, i) => value !== node.args[i])) editor.replaceNode(node.name, { args });
    }
  });
}

/** The dtype of all tensor operands; undefined when they differ, or a number would round otherwise in it. */
function commonDtype({ args }: Node, graph: Graph): DType | undefined {
  const dtypes = new Set<DType>();
  for (const value of args) {
    const val = isRef(value) ? graph.find(value.name)?.meta.val : undefined;
    if (val instanceof FakeTensor) dtypes.add(val.dtype);
  }
  const [dtype] = dtypes;
  return dtypes.size === 1 && EXACT.has(dtype!) ? dtype : undefined;
}

/** Numbers of the dtype's own kind do not change the dtype of the result. */
const fits = (value: unknown, dtype: DType): boolean =>
  isInt(value) || (isFloat(value) && dtype.startsWith("float"));
