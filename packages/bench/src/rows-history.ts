import { type ExportedProgram, edit, type Graph, recordPass, redo, undo } from "@sconce/ir";
import { historyToJson } from "@sconce/ir/history";
import { chain, programOf } from "./graphs.js";
import { bytesHeld, least, type Row } from "./measure.js";

const N = 100_000;
/**
 * What going back costs in torch.fx: a copy of the whole graph beforehand (`Graph.graph_copy`), by
 * tracemalloc.
 */
const TORCH_COPY = { name: "torch.fx graph_copy", bytes: 111_400_000 };

/** Returns what history costs at 100,000 nodes: it must follow what a pass changed. */
export async function historyRows(): Promise<Row[]> {
  const program = programOf(chain(N));
  const one = program.with({ graph: retarget(program.graph, (i) => i === N / 2) });
  const thirds = program.with({ graph: retarget(program.graph, (i) => i % 3 === 2) });
  const recorded = recordPass("thirds", program, thirds);
  const single = recordPass("one", program, one);
  return [
    await row("record one changed node", 1, () => recordPass("one", program, one)),
    await row("record every third node changed", 5, () => recordPass("thirds", program, thirds)),
    await row("undo and redo every third node", 5, () => redo(undo(recorded))),
    await row("history to JSON, one changed node", 50, () => historyToJson(single)),
    await heldRow("a hundred steps of one node each", (i, step) => i === step * 1000, 100, 5e5, 100),
    await heldRow("1 % of the nodes, next to each other", (i) => i < N / 100, N / 100, 2e5),
    await heldRow("1 % of the nodes, each in another place", (i) => i % 100 === 50, N / 100, 2e6),
    await heldRow("all nodes", () => true, N, 20e6),
  ];
}

type Chosen = (i: number, step: number) => boolean;

/**
 * Returns what is held of the versions before and of the changes, once the program itself is only
 * held as it is afterwards.
 */
async function heldRow(what: string, chosen: Chosen, count: number, target: number, steps = 1): Promise<Row> {
  const changed = (): ExportedProgram => {
    let program = programOf(chain(N));
    for (let step = 0; step < steps; step++) {
      const graph = retarget(program.graph, (i) => chosen(i, step));
      program = recordPass("changed", program, program.with({ graph }));
    }
    return program;
  };
  const withHistory = await bytesHeld(changed);
  // Another graph is another program, without the steps that led to this one.
  const without = await bytesHeld(() => changed().with({ history: [] }));
  return {
    group: "history",
    name: `held for ${what}`,
    target,
    bytes: Math.max(0, withHistory - without),
    per: { count, unit: "changed node" },
    peer: TORCH_COPY,
  };
}

const row = async (name: string, target: number, run: () => unknown): Promise<Row> => ({
  group: "history",
  name,
  milliseconds: await least(run),
  target,
});

const retarget = (graph: Graph, chosen: (i: number) => boolean): Graph =>
  edit(graph, (editor) => {
    graph.nodes().forEach((node, i) => {
      if (node.op === "call_function" && chosen(i))
        editor.replaceNode(node.name, { target: "aten.sigmoid.default" });
    });
  });
