/** @file What a program has that its calls do not say, as a call of `asRecorded`. */
import { scriptString } from "@sconce/errors";
import {
  type ExportedProgram,
  FakeTensor,
  type Graph,
  isRef,
  isSymScalar,
  Namespace,
  type Node,
  treeSpecJson,
} from "@sconce/ir";
import { callingConvention, userLeaves } from "@sconce/ops";
import { SymExpr, symbolNumber } from "@sconce/symbolic";
import { liftedName } from "@sconce/trace";
import { ASSERT_SCALAR, ASSERTED, nameParts, numberedNodes, numbersKey } from "../export/recorded.js";
import { lacksCounterpart } from "./container-text.js";
import { keyText } from "./literals.js";
import type { ModuleFile } from "./module-file.js";

/**
 * Returns the model, with what is recorded beside it where the program has anything.
 *
 * @param renamed names of arguments by their variables
 */
export function recordedText(
  program: ExportedProgram,
  renamed: ReadonlyMap<string, string>,
  file: ModuleFile,
): string {
  const { numbers, asserted } = tablesOf(program);
  const { isLowered } = file;
  const lowered = (): string => `lowered: ${file.use("runDecompositions")}`;
  const parts = [
    ...(isLowered ? [`  ${lowered()},`] : []),
    ...(renamed.size > 0 ? [`  arguments: ${namesText(renamed)},`] : []),
    ...(isNamedStrictly(program) ? ["  strictSymbols: true,"] : []),
    ...treesText(program),
    ...inputsText(program),
    ...block("numbers", "The numbers in names of nodes, such as `add_3`; null is none.", numbers),
    ...block("asserted", "The nodes that messages of assertions name.", asserted),
  ];
  const model = "new Model()";
  if (parts.length === 0) return model;
  const options = parts.length === 1 && isLowered ? `{ ${lowered()} }` : `{\n${parts.join("\n")}\n}`;
  return `${file.use("asRecorded")}(${model}, ${options})`;
}

const block = (key: string, comment: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`  // ${comment}`, `  ${key}: {`, ...lines, "  },"];

const namesText = (names: Iterable<readonly [string, string]>): string =>
  `{ ${[...names].map(([own, wanted]) => `${keyText(own)}: ${scriptString(wanted)}`).join(", ")} }`;

/** Containers that are others in JavaScript. */
function treesText(program: ExportedProgram): readonly string[] {
  const { inSpec, outSpec } = callingConvention(program);
  return Object.entries({ inSpec, outSpec }).flatMap(([key, spec]) =>
    lacksCounterpart(spec) ? [`  ${key}: ${scriptString(treeSpecJson(spec))},`] : [],
  );
}

/** Returns whether symbols have their numbers from places of inputs in the flattened list. */
function isNamedStrictly(program: ExportedProgram): boolean {
  const counts = { plain: 0, strict: 0 };
  userLeaves(program).forEach(({ name, root, path }, i) => {
    const { val } = program.graph.node(name).meta;
    if (!(val instanceof FakeTensor) || path.length > 0) return;
    val.shape.forEach((size, dim) => {
      if (!(size instanceof SymExpr) || size.op !== "Symbol") return;
      const isOf = (source: string): boolean => size.name === `s${symbolNumber(`${source}.size()[${dim}]`)}`;
      if (isOf(`L['${root}']`)) counts.plain++;
      else if (isOf(`L['flat_args'][${i}]`)) counts.strict++;
    });
  });
  return counts.strict > counts.plain;
}

/** Inputs of state that a strict export named after another name of the state. */
function inputsText({ graphSignature: { inputSpecs } }: ExportedProgram): readonly string[] {
  const names = inputSpecs.flatMap(({ kind, target, arg }): [string, string][] => {
    if (kind === "USER_INPUT" || target === null) return [];
    const own = liftedName(kind, target);
    return nameParts(arg.name)[0] === own || arg.name === own ? [] : [[own, arg.name]];
  });
  return names.length === 0 ? [] : [`  inputs: ${namesText(names)},`];
}

interface Tables {
  readonly numbers: string[];
  readonly asserted: string[];
}

function tablesOf({ graph }: ExportedProgram): Tables {
  const tables: Tables = { numbers: [], asserted: [] };
  const graphs = graphsOf(graph, "");
  const isCounted = graphs.every(([path, one]) => countedOtherwise(one, path).size === 0 && !asserts(one));
  for (const [path, one] of graphs) {
    const other = countedOtherwise(one, path);
    for (const [base, nodes] of numberedNodes(one, path)) {
      // Reads of sizes and conditions are made and left out again.
      const isUncertain = !isCounted && nodes.some(isOfSizes);
      if (!other.has(base) && !isUncertain) continue;
      const shown = nodes.map(({ name }) => String(nameParts(name)[1]));
      tables.numbers.push(`    ${keyText(numbersKey(path, base))}: [${shown.join(", ")}],`);
    }
    const names = assertedNames(one);
    if (names !== undefined)
      tables.asserted.push(`    ${keyText(path)}: [${names.map(scriptString).join(", ")}],`);
  }
  return tables;
}

function graphsOf(graph: Graph, path: string): (readonly [path: string, graph: Graph])[] {
  const nested = [...graph.subgraphs].flatMap(([target, one]) => graphsOf(one, numbersKey(path, target)));
  return [[path, graph], ...nested];
}

const asserts = (graph: Graph): boolean => [...graph.nodes()].some(({ target }) => target === ASSERT_SCALAR);

const isOfSizes = ({ target, meta: { val } }: Node): boolean => isSymScalar(val) || target === ASSERT_SCALAR;

/** Returns the names without numbers whose numbers are not those that counting gives. */
function countedOtherwise(graph: Graph, path: string): ReadonlySet<string> {
  const names = new Namespace();
  for (const { name } of graph.placeholders()) names.reserve(name);
  const found = new Set<string>();
  for (const [base, nodes] of numberedNodes(graph, path))
    for (const { name, op } of nodes)
      if (op !== "placeholder" && names.create(base) !== name) found.add(base);
  return found;
}

/** Returns the nodes that the messages of assertions name, unless all name the condition. */
function assertedNames(graph: Graph): readonly string[] | undefined {
  let isOther = false;
  const names: string[] = [];
  for (const { target, args } of graph.nodes()) {
    const [condition, message] = args;
    const match = target === ASSERT_SCALAR && typeof message === "string" ? ASSERTED.exec(message) : null;
    if (match === null) continue;
    names.push(match[2]!);
    if (!isRef(condition) || condition.name !== match[2]) isOther = true;
  }
  return isOther ? names : undefined;
}
