import { edit, Graph, recordPass, redo, undo } from "@sconce/ir";
import { historyToJson } from "@sconce/ir/history";
import { chain, programOf } from "./graphs.js";
import { least, type Row } from "./measure.js";

const N = 100_000;

/** What history costs at 100,000 nodes: it must follow what a pass changed. */
export async function historyRows(): Promise<Row[]> {
  const program = programOf(chain(N));
  const one = program.with({ graph: retarget(program.graph, (i) => i === N / 2) });
  const thirds = program.with({ graph: retarget(program.graph, (i) => i % 3 === 2) });
  const anew = program.with({ graph: madeAnew(program.graph) });
  const recorded = recordPass("thirds", program, thirds);
  const single = recordPass("one", program, one);
  return [
    await row("record one changed node", 1, () => recordPass("one", program, one)),
    await row("record every third node changed", 5, () => recordPass("thirds", program, thirds)),
    await row("record a graph made anew", 20, () => recordPass("anew", program, anew)),
    await row("undo and redo every third node", 5, () => redo(undo(recorded))),
    await row("history to JSON, one changed node", 50, () => historyToJson(single)),
  ];
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

/** The same nodes, but for the metadata of one, in a graph that shares no page with the one before. */
const madeAnew = (graph: Graph): Graph =>
  new Graph(graph.nodes().map((node) => (node.name === "n50000" ? { ...node, meta: {} } : node)));
