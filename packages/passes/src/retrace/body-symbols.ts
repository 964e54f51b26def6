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
import { type SymExpr, type SymValue, substitute, symbolByName } from "@sconce/symbolic";
import type { BodyCall, BodySymbols, RetraceEnv } from "@sconce/trace";

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

/**
 * What is known of the tensors that each graph which encloses a body makes, the outermost first.
 */
type Reads = readonly Map<string, SymExpr>[];

/**
 * Returns whether a body of the call, or of a call in it, makes a symbol; others are not taken
 * down.
 */
export const makesSymbols = ({ bodies, carried = [], results = [] }: BodyCall): boolean =>
  carried.length + results.length > 0 || bodies.some(({ length }) => length > 0);

/**
 * Most symbols of the runs of one call that are numbered: graphs that share bodies would double
 * them.
 */
const MOST_SYMBOLS = 10_000;

/** Returns how many symbols the runs of a call make. */
function countSymbols(call: BodyCall, mode: Mode): number {
  const known = new Map<BodySymbols, Partial<Record<Mode, number>>>();
  const inBody = (body: BodySymbols, as: Mode): number => {
    const counts = known.get(body) ?? {};
    known.set(body, counts);
    counts[as] ??= body.reduce((sum, made) => sum + (typeof made === "string" ? 1 : inCall(made, as)), 0);
    return counts[as];
  };
  const inCall = (one: BodyCall, as: Mode): number => {
    const own = 2 * (one.carried?.length ?? 0) + (one.results?.length ?? 0);
    return runsOf(one, as).reduce((sum, [body, run]) => sum + inBody(body, run), own);
  };
  return inCall(call, mode);
}

/** Returns the bodies that a call runs, in order, how, and whether for a schema. */
function runsOf(
  { target, bodies }: BodyCall,
  mode: Mode,
): readonly (readonly [BodySymbols, Mode, isOfSchema: boolean])[] {
  const isLoop = target === "higher_order.while_loop";
  return RUNS[mode].flatMap((run) => {
    if (run.isOfSchema === true && isLoop) return [];
    const ofResults = run.isOfResults === true && isLoop ? bodies.slice(1) : bodies;
    return ofResults.map((body) => [body, run.mode, run.isOfSchema === true] as const);
  });
}

/**
 * Numbers the symbols of all runs of a call. Runs share what they read of operands, but for those
 * that learn a schema: these have other operands.
 *
 * @param call what its bodies make
 * @param env makes the symbols, and knows how the call is run
 * @param isOutside whether the enclosing graph makes a symbol, which an operand knows then
 * @returns the new names of the symbols that the traced bodies show; none where there are too many
 */
export function numberSymbols(
  call: BodyCall,
  env: RetraceEnv,
  isOutside: (name: string) => boolean,
): ReadonlyMap<string, SymExpr> {
  const shown = new Map<string, SymExpr>();
  if (countSymbols(call, env.trace) > MOST_SYMBOLS) return shown;
  const makeOne = (like: string, as: Mode, reads: Reads): void => {
    const depth = env.operandReads.get(like);
    const known = depth === undefined ? undefined : reads[depth];
    if (known === env.knownReads && isOutside(like)) return;
    const symbol = known?.get(like) ?? env.freshLike(symbolByName(like));
    known?.set(like, symbol);
    if (as === "trace") shown.set(like, symbol);
  };
  const runBody = (body: BodySymbols, as: Mode, outer: Reads): void => {
    const reads = [...outer, new Map()];
    for (const made of body) {
      if (typeof made === "string") makeOne(made, as, reads);
      else runCall(made, as, reads);
    }
  };
  const runCall = (one: BodyCall, as: Mode, reads: Reads): void => {
    let carried = as === "trace" || as === "proxy" ? (one.carried ?? []) : [];
    for (const [body, run, isOfSchema] of runsOf(one, as)) {
      // A tracer of bodies makes the integers that a loop carries.
      if (run === as) {
        for (const name of carried) makeOne(name, as, reads);
        carried = [];
      }
      runBody(body, run, isOfSchema ? reads.map(() => new Map()) : reads);
    }
    for (const name of one.results ?? []) {
      if (one === call) env.skipName();
      else makeOne(name, as, reads);
    }
  };
  runCall(call, env.trace, [env.knownReads]);
  return shown;
}

/**
 * Returns the graph, and the graphs in it, with other names of symbols in values and in messages.
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
      args: isNewAssertion(node)
        ? node.args.map((arg) => (typeof arg === "string" ? renameText(arg, names) : arg))
        : node.args,
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

/**
 * Returns whether the lowered body asserts what the source does not: such nodes have names of their
 * overload. Assertions of the source keep their messages.
 */
const isNewAssertion = ({ name }: Node): boolean => name.startsWith("_assert_scalar_default");
