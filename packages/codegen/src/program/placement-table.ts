/** @file Where the calls of a program would run on several backends, without a run. */
import { checkOptions, type OptionNames } from "@sconce/errors";
import {
  annotation,
  type Backend,
  type ExportedProgram,
  type Graph,
  inputsOf,
  type Node,
  type Reason,
} from "@sconce/ir";
import { askBackend, functionalized, isFunctional } from "@sconce/passes";
import { assumedSizes, type CallCost, type CostSession, callCost } from "./call-cost.js";

/** Where one backend runs a call. */
export interface CallPlacement {
  /**
   * `device` where the backend itself computes the call, `host` where it leaves the call to the
   * interpreter, `none` where it refuses the program because of the call.
   */
  readonly place: "device" | "host" | "none";
  /** Why the call is not on the device; left out where it is. */
  readonly reason?: string;
}

/** A call of the program. */
export interface PlacementRow {
  /** The name of the node. */
  readonly node: string;
  /** The nested graph of the node: `true_graph_0`; left out for the program's own graph. */
  readonly graph?: string;
  /** What it calls. */
  readonly target: string;
  /** The type of its value as IR text: `f32[2, 3]`. */
  readonly type: string;
  /** What the call costs by itself, or why that is unknown. */
  readonly cost: CallCost;
  /** The place on each backend, by its name. */
  readonly places: Readonly<Record<string, CallPlacement>>;
}

/** Where calls would run, and what they cost. */
export interface PlacementTable {
  /** Names of the backends. */
  readonly backends: readonly string[];
  /** All calls, those of nested graphs included, except for those that take items of results. */
  readonly rows: readonly PlacementRow[];
  /** Values of symbols that costs are for, where the program has no example of them. */
  readonly assumed: Readonly<Record<string, number>>;
}

/** What is asked for placement; see `placementTable`. */
export interface PlacementOptions {
  /** Count what each call costs. @defaultValue true */
  readonly cost?: boolean | undefined;
}

const OPTIONS: OptionNames<PlacementOptions> = { cost: true };

/** A session, or its parts that placement needs. */
export interface PlacementSession extends CostSession {
  /** Returns the plugin that a backend is of, for errors. */
  ownerOf?(part: object): string | undefined;
}

/** A backend that says which calls its device computes, beside those that its host runs. */
type WithDevice = Backend & { takes?(node: Node, graph: Graph): true | Reason };

/**
 * Asks backends where each call of a program would run, and counts what the calls cost. Nothing is
 * compiled or run, and no values are read. A program that writes to tensors is functionalized
 * first, as backends do.
 *
 * @throws SconceError `PLUGIN_FAILED` where a backend answers neither true nor a reason
 */
export function placementTable(
  program: ExportedProgram,
  backends: readonly Backend[],
  session: PlacementSession,
  options: PlacementOptions = {},
): PlacementTable {
  checkOptions("placementTable", options, OPTIONS);
  const { operators } = session;
  const given = isFunctional(program, operators) ? program : functionalized(program, operators);
  const assumed = assumedSizes(given);
  const sizes = new Map([...given.symbolHints, ...assumed]);
  const rows: PlacementRow[] = [];
  const visit = (graph: Graph, path: string, outer: Places): void => {
    const inner = new Map<string, Places>();
    for (const node of graph.nodes()) {
      if (node.op !== "call_function" || node.target === "operator.getitem") continue;
      const places = Object.fromEntries(
        backends.map((backend) => [
          backend.name,
          outer[backend.name] ?? placeOf(backend, node, graph, session),
        ]),
      );
      for (const target of bodiesOf(node, graph)) inner.set(target, insideOf(node, places));
      rows.push({
        node: node.name,
        ...(path !== "" && { graph: path }),
        target: node.target,
        type: annotation(node.meta.val) ?? "",
        cost: options.cost === false ? NOT_COUNTED : callCost(given, graph, node, session, sizes),
        places,
      });
    }
    for (const [name, nested] of graph.subgraphs)
      visit(nested, path === "" ? name : `${path}.${name}`, inner.get(name) ?? {});
  };
  visit(given.graph, "", {});
  return { backends: backends.map(({ name }) => name), rows, assumed: Object.fromEntries(assumed) };
}

type Places = Readonly<Record<string, CallPlacement>>;

/** Returns the nested graphs that a call runs. */
const bodiesOf = (node: Node, graph: Graph): string[] =>
  inputsOf(node).flatMap((name) => {
    const input = graph.find(name);
    return input?.op === "get_attr" && graph.subgraphs.has(input.target) ? [input.target] : [];
  });

/** Where calls within a graph run whatever they are: what runs the call runs its graphs too. */
const insideOf = ({ name }: Node, places: Places): Places =>
  Object.fromEntries(
    Object.entries(places).flatMap(([backend, { place }]) =>
      place === "device" ? [] : [[backend, { place, reason: `inside %${name}, which is not on the device` }]],
    ),
  );

const NOT_COUNTED: CallCost = { reason: "not counted" };

function placeOf(backend: WithDevice, node: Node, graph: Graph, session: PlacementSession): CallPlacement {
  const owner = session.ownerOf?.(backend);
  const taken = backend.takes?.(node, graph);
  if (taken === true) return { place: "device" };
  const supported = askBackend(backend, node, graph, owner);
  if (supported !== true) return { place: "none", reason: supported.reason };
  return taken === undefined ? { place: "device" } : { place: "host", reason: taken.reason };
}
