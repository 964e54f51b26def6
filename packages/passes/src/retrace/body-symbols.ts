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
import type { BodyCall, BodySymbols } from "@sconce/trace";

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

/** Whether a body of the call, or of a call in it, makes a symbol; others are not taken down. */
export const makesSymbols = ({ bodies, carried = [] }: BodyCall): boolean =>
  carried.length > 0 || bodies.some(({ length }) => length > 0);

/**
 * Most symbols of the runs of one call that are numbered: graphs that share bodies would double
 * them.
 */
const MOST_SYMBOLS = 10_000;

/** How many symbols the runs of a call make. */
function countSymbols(call: BodyCall, mode: Mode): number {
  const known = new Map<BodySymbols, Partial<Record<Mode, number>>>();
  const inBody = (body: BodySymbols, as: Mode): number => {
    const counts = known.get(body) ?? {};
    known.set(body, counts);
    counts[as] ??= body.reduce((sum, made) => sum + (typeof made === "string" ? 1 : inCall(made, as)), 0);
    return counts[as];
  };
  const inCall = (one: BodyCall, as: Mode): number =>
    runsOf(one, as).reduce((sum, [body, run]) => sum + inBody(body, run), 2 * (one.carried?.length ?? 0));
  return inCall(call, mode);
}

/** The bodies that a call runs, in order, and how. */
function runsOf({ target, bodies }: BodyCall, mode: Mode): readonly (readonly [BodySymbols, Mode])[] {
  const isLoop = target === "higher_order.while_loop";
  return RUNS[mode].flatMap((run) => {
    if (run.isOfSchema === true && isLoop) return [];
    const ofResults = run.isOfResults === true && isLoop ? bodies.slice(1) : bodies;
    return ofResults.map((body) => [body, run.mode] as const);
  });
}

/**
 * Numbers the symbols of all runs of a call.
 *
 * @param mode how the call is run
 * @param make makes the next symbol like another
 * @param skip takes the number of a symbol that a loop outside of bodies gives: it keeps its name
 * @returns the new names of the symbols that the traced bodies show; none where there are too many
 */
export function numberSymbols(
  call: BodyCall,
  mode: "metadata" | "trace",
  make: (like: string) => SymExpr,
  skip: () => void,
): ReadonlyMap<string, SymExpr> {
  const shown = new Map<string, SymExpr>();
  if (countSymbols(call, mode) > MOST_SYMBOLS) return shown;
  const makeOne = (like: string, as: Mode): void => {
    const symbol = make(like);
    if (as === "trace") shown.set(like, symbol);
  };
  const runBody = (body: BodySymbols, as: Mode): void => {
    for (const made of body) {
      if (typeof made === "string") makeOne(made, as);
      else runCall(made, as);
    }
  };
  const runCall = (one: BodyCall, as: Mode): void => {
    let carried = as === "trace" || as === "proxy" ? (one.carried ?? []) : [];
    for (const [body, run] of runsOf(one, as)) {
      // A tracer of bodies makes the integers that a loop carries.
      if (run === as) {
        for (const name of carried) makeOne(name, as);
        carried = [];
      }
      runBody(body, run);
    }
    for (const name of one.results ?? []) {
      if (one === call) skip();
      else makeOne(name, as);
    }
  };
  runCall(call, mode);
  return shown;
}

/**
 * The graph, and the graphs in it, with other names of symbols in values and in messages.
 *
 * @param done graphs that are renamed already, which is added to
 */
export function renameSymbols(
  graph: Graph,
  names: ReadonlyMap<string, SymExpr>,
  done: Map<Graph, Graph>,
): Graph {
  const known = done.get(graph);
  if (known !== undefined) return known;
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
  const subgraphs = new Map(
    [...graph.subgraphs].map(([name, inner]) => [name, renameSymbols(inner, names, done)]),
  );
  const renamed = rebuild(graph, renameNode, { subgraphs });
  done.set(graph, renamed);
  return renamed;
}

const renameText = (text: string, names: ReadonlyMap<string, SymExpr>): string =>
  text.replace(/\b(?:u|zuf)\d+\b/g, (name) => names.get(name)?.name ?? name);
