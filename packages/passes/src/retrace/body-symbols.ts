/**
 * @file Numbers of the symbols that bodies of control flow make. PyTorch runs a body several times
 * for each call: to learn which operands it writes to and which results are views of them, to learn
 * its results, and to trace it. Each run makes new symbols, and the traced graph shows those of one
 * run.
 */
import {
  FakeTensor,
  type Graph,
  isSymScalar,
  type MetaValue,
  type Node,
  rebuild,
  type SymScalar,
} from "@sconce/ir";
import { type SymExpr, type SymValue, substitute } from "@sconce/symbolic";
import type { BodyCall, BodySymbols } from "../trace/shape-env.js";

/**
 * How a body is run: while results are learned (`metadata`), while the lowered graph is traced
 * (`trace`), while a graph is traced that is not kept (`proxy`), and on fake tensors alone
 * (`fake`).
 */
type Mode = "metadata" | "trace" | "proxy" | "fake";

interface Run {
  readonly mode: Mode;
  /** Results are asked of the body alone, not of the condition of a loop. */
  readonly isOfResults?: boolean;
  /** Asks for the schema of the operator; loops have none. */
  readonly isOfSchema?: boolean;
}

/** The runs of the bodies of a call, in order, by how the call itself is run. */
const RUNS: Readonly<Record<Mode, readonly Run[]>> = {
  metadata: [{ mode: "proxy", isOfSchema: true }, { mode: "proxy" }, { mode: "metadata", isOfResults: true }],
  trace: [
    { mode: "proxy", isOfSchema: true },
    { mode: "proxy" },
    { mode: "trace" },
    { mode: "fake", isOfResults: true },
  ],
  proxy: [{ mode: "proxy" }, { mode: "fake", isOfResults: true }],
  fake: [{ mode: "fake", isOfResults: true }],
};

/** Whether a body of the call, or of a call in it, makes a symbol. */
export const makesSymbols = ({ bodies }: BodyCall): boolean =>
  bodies.some((body) => body.some((made) => typeof made === "string" || makesSymbols(made)));

/**
 * Numbers the symbols of all runs of a call.
 *
 * @param mode how the call is run
 * @param make makes the next symbol like another
 * @returns the new names of the symbols that the traced bodies show
 */
export function numberSymbols(
  call: BodyCall,
  mode: "metadata" | "trace",
  make: (like: string) => SymExpr,
): ReadonlyMap<string, SymExpr> {
  const shown = new Map<string, SymExpr>();
  const runBody = (body: BodySymbols, as: Mode): void => {
    for (const made of body) {
      if (typeof made !== "string") {
        runCall(made, as);
        continue;
      }
      const symbol = make(made);
      if (as === "trace") shown.set(made, symbol);
    }
  };
  const runCall = ({ target, bodies }: BodyCall, as: Mode): void => {
    const isLoop = target === "higher_order.while_loop";
    for (const run of RUNS[as]) {
      if (run.isOfSchema === true && isLoop) continue;
      const ofResults = run.isOfResults === true && isLoop ? bodies.slice(1) : bodies;
      for (const body of ofResults) runBody(body, run.mode);
    }
  };
  runCall(call, mode);
  return shown;
}

/** The graph, and the graphs in it, with other names of symbols in values and in messages. */
export function renameSymbols(graph: Graph, names: ReadonlyMap<string, SymExpr>): Graph {
  const rename = <T extends SymValue>(value: T): T => substitute(value, names) as T;
  const renameVal = (val: MetaValue): MetaValue => {
    if (val instanceof FakeTensor)
      return new FakeTensor({
        ...val,
        shape: val.shape.map(rename),
        strides: val.strides.map(rename),
        storageOffset: rename(val.storageOffset),
      });
    if (Array.isArray(val)) return (val as readonly MetaValue[]).map(renameVal);
    if (!isSymScalar(val)) return val;
    return { kind: val.kind, expr: rename(val.expr) } as SymScalar;
  };
  const renameNode = (node: Node): Node => {
    const { val } = node.meta;
    return {
      ...node,
      args: node.args.map((arg) => (typeof arg === "string" ? renameText(arg, names) : arg)),
      meta: val === undefined ? node.meta : { ...node.meta, val: renameVal(val) },
    };
  };
  const subgraphs = new Map([...graph.subgraphs].map(([name, inner]) => [name, renameSymbols(inner, names)]));
  return rebuild(graph, renameNode, { subgraphs });
}

const renameText = (text: string, names: ReadonlyMap<string, SymExpr>): string =>
  text.replace(/\b(?:u|zuf)\d+\b/g, (name) => names.get(name)?.name ?? name);
