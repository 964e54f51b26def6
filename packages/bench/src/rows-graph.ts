import { evaluate } from "@sconce/backend-cpu";
import { edit, type Graph } from "@sconce/ir";
import { verify } from "@sconce/ir/verify";
import { defaultOperators, metaOf } from "@sconce/ops";
import {
  commonSubexpressionElimination,
  deadCodeElimination,
  defineRule,
  type Evaluator,
  foldConstants,
  type PassContext,
  PassManager,
  passCall,
  rewriteProgram,
  runDecompositions,
} from "@sconce/passes";
import { STATIC_ENV } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { chain, constants, duplicates, fakeF32, programOf } from "./graphs.js";
import { least, type Row } from "./measure.js";

const N = 100_000;

const PER_NODE = { count: N, unit: "node" };
const each = async <T>(input: T, run: (input: T) => unknown): Promise<number> => least(() => run(input));

/**
 * Graph transformation at 100,000 nodes, beside torch.fx and MLIR. Each row makes its own input and
 * lets it go.
 */
export async function graphRows(): Promise<Row[]> {
  const operators = defaultOperators();
  const context: PassContext = { operators, evaluate: evaluate as Evaluator };
  return [
    row("build 100,000 nodes", await least(() => chain(N)), PER_NODE, 200, ["torch.fx", 760]),
    row(
      "verify 100,000 nodes",
      await each(programOf(chain(N)), (program) => verify(program, { operators })),
      PER_NODE,
      undefined,
      ["torch.fx lint", 124],
    ),
    ...(await passRows(context)),
    ...(await rewriteRows(context)),
    await managerRow(),
    row("one edit of 100,000 nodes", await each(chain(N), renameOne), undefined, 1),
    ...(await retraceRows()),
  ];
}

async function passRows(context: PassContext): Promise<Row[]> {
  const options = passCall(foldConstants).options;
  const constant = new Map([["k", Tensor.empty([4, 4], "float32")]]);
  return [
    row(
      "dce, half dead",
      await each(programOf(chain(N, true)), (program) => deadCodeElimination.run(program, context, {})),
      PER_NODE,
      100,
      ["torch.fx", 418],
    ),
    row(
      "cse, a third equal",
      await each(programOf(duplicates(N)), (program) =>
        commonSubexpressionElimination.run(program, context, {}),
      ),
      PER_NODE,
      100,
      ["mlir-opt", 119],
    ),
    row(
      "fold-constants, a third constant",
      await each(programOf(constants(N), constant), (program) =>
        foldConstants.run(program, context, options),
      ),
      PER_NODE,
      100,
      ["mlir-opt canonicalize", 243],
    ),
  ];
}

const rewriteRows = async (context: PassContext): Promise<Row[]> => [
  row("rewrite every third node", await each(chain(N), rewriteThirds), PER_NODE, undefined, [
    "torch.fx",
    369,
  ]),
  row(
    "pattern replaced at a third of 10,000 nodes",
    await each(programOf(chain(10_000)), (program) =>
      rewriteProgram(program, [RELU_TO_SIGMOID], { operators: context.operators }),
    ),
    { count: 10_000, unit: "node" },
    50,
    ["torch.fx replace_pattern", 3900],
  ),
];

const retraceRows = async (): Promise<Row[]> => [
  row(
    "shape propagation, 10,000 calls",
    await least(() => propagate(10_000)),
    { count: 10_000, unit: "node" },
    50,
    ["torch.fx ShapeProp", 1450],
  ),
  row(
    "runDecompositions, 2,000 nodes",
    await each(programOf(chain(2000)), (program) => runDecompositions(program)),
    { count: 2000, unit: "node" },
    200,
    ["torch.export", 13_224],
  ),
];

function row(
  name: string,
  milliseconds: number,
  per?: Row["per"],
  target?: number,
  peer?: readonly [string, number],
): Row {
  return {
    group: "graph",
    name,
    milliseconds,
    ...(per === undefined ? {} : { per }),
    ...(target === undefined ? {} : { target }),
    ...(peer === undefined ? {} : { peer: { name: peer[0], milliseconds: peer[1] } }),
  };
}

/**
 * Ten passes over 100,000 nodes through the manager, observers off, beside the same passes called
 * one after the other.
 */
async function managerRow(): Promise<Row> {
  const context = { operators: defaultOperators(), evaluate: evaluate as Evaluator };
  const program = programOf(chain(N, true));
  const passes = [1, 2, 3, 4, 5].flatMap(() => [deadCodeElimination, commonSubexpressionElimination]);
  const manager = new PassManager(context);
  // Alternately, so that neither has the quieter machine.
  let [alone, managed] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < 5; round++) {
    const direct = () => passes.reduce((current, pass) => pass.run(current, context, {}), program);
    alone = Math.min(alone, await least(direct, 1));
    managed = Math.min(managed, await least(() => manager.run(program, passes), 1));
  }
  const ratio = (managed / alone).toFixed(3);
  return row(`pass manager, observers off: ${ratio} of the passes alone`, managed, undefined, alone * 1.05);
}

const RELU_TO_SIGMOID = defineRule({
  name: "relu-to-sigmoid",
  doc: "Another operator at each match, for timing only.",
  match: "aten.relu.default($x)",
  replace: "aten.sigmoid.default($x)",
});

function rewriteThirds(graph: Graph): Graph {
  return edit(graph, (editor) => {
    for (const node of graph.nodes())
      if (node.target === "aten.relu.default")
        editor.replaceNode(node.name, { target: "aten.sigmoid.default" });
  });
}

const renameOne = (graph: Graph): Graph =>
  edit(graph, (editor) => editor.replaceNode("n50000", { target: "aten.sub.Tensor" }));

function propagate(calls: number): void {
  const operators = defaultOperators();
  let current = fakeF32();
  for (let i = 0; i < calls; i++)
    current = metaOf(operators, "aten.add.Tensor", [current, current], {}, STATIC_ENV) as typeof current;
}
