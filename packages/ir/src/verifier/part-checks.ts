/**
 * @file Checks that the parts of a program have their declared types: JavaScript plugins can pass
 * anything.
 */
import { describeValue, eachInPieces, finish, isSconceError, type Work } from "@sconce/errors";
import { Tensor } from "@sconce/tensor";
import { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import { errorText, type Problem } from "../graph/problem.js";
import type { ExportedProgram } from "../program/program.js";
import type { ExportedProgramInit } from "../program/program-parts.js";
import { OUTPUT_KINDS } from "../program/signature.js";
import { argument, argumentSpec, nodeMeta } from "./argument-kinds.js";
import { withCycles } from "./cycles.js";
import {
  anything,
  fields,
  flag,
  isObject,
  type Kind,
  kind,
  list,
  map,
  number,
  oneOf,
  optional,
  orNull,
  type ReportAt,
  record,
  setOfText,
  text,
} from "./kinds.js";
import { type VerifyOptions, verifySteps } from "./verify.js";

const tensors = map(kind("a tensor", (value) => value instanceof Tensor));

const treeSpec: Kind = fields({
  type: orNull(text),
  children: (value, at, report) => trees(value, at, report),
});
const trees = list(treeSpec);

const bound = orNull(kind("a bigint", (value) => typeof value === "bigint"));
const range = fields({
  min: number,
  max: number,
  exact: optional(fields({ min: bound, max: bound })),
  float: optional(flag),
});

/** Leaves that are loaded on first use are not loaded here. */
const exampleInputs: Kind = (value, at, report) => {
  if (!isObject(value)) return report(at, `is ${describeValue(value)}, not an object with leaves`);
  const own = Object.getOwnPropertyDescriptor(value, "leaves");
  if (own === undefined ? "leaves" in value : own.get !== undefined) return;
  list((leaf, where, reportLeaf) => (leaf instanceof Tensor ? undefined : argument(leaf, where, reportLeaf)))(
    own?.value,
    `${at}.leaves`,
    report,
  );
};

const steps = list(
  fields({
    pass: text,
    call: optional(text),
    patches: list(anything),
    inverse: list(anything),
    before: record(anything),
    after: record(anything),
  }),
);

const PARTS: Readonly<Record<keyof ExportedProgramInit, Kind>> = {
  graph: kind("a graph", (value) => value instanceof Graph),
  graphSignature: fields({
    inputSpecs: list(
      fields({ kind: text, arg: argumentSpec, target: orNull(text), persistent: orNull(flag) }),
    ),
    outputSpecs: list(
      fields({
        kind: oneOf(OUTPUT_KINDS),
        arg: argumentSpec,
        target: orNull(text),
      }),
    ),
  }),
  stateDict: tensors,
  parameterNames: setOfText,
  constants: tensors,
  rangeConstraints: map(range),
  symbolHints: map(number),
  unusedSymbols: list(text),
  moduleCallGraph: list(
    fields({
      fqn: text,
      signature: orNull(
        fields({
          inputs: list(argumentSpec),
          outputs: list(argumentSpec),
          inSpec: treeSpec,
          outSpec: treeSpec,
          forwardArgNames: orNull(list(text)),
        }),
      ),
    }),
  ),
  guardsCode: list(text),
  exampleInputs: orNull(exampleInputs),
  dialect: text,
  torchVersion: optional(text),
  opsetVersion: record(number),
  namedTupleFields: map(list(text)),
  graphMetadata: record(text),
  history: steps,
  undone: steps,
};

/** Maximum number of problems reported for one part. */
const MOST = 10;

const nodeParts = fields({
  name: text,
  op: text,
  target: text,
  args: list(argument),
  kwargs: record(argument),
  meta: nodeMeta,
});
const nested = map(kind("a graph", (value) => value instanceof Graph));

/**
 * Returns a problem for each part of the program, and of the nodes of its graphs, whose value does
 * not have its declared type. Empty when all have.
 */
export const verifyParts = (program: ExportedProgram): Problem[] => finish(partSteps(program));

function* partSteps(program: ExportedProgram): Work<Problem[]> {
  const problems: Problem[] = [];
  try {
    for (const [part, check] of Object.entries(PARTS)) {
      check(program[part as keyof ExportedProgramInit], part, collector(problems));
    }
    if (program.graph instanceof Graph) yield* checkGraph(program.graph, "", problems);
  } catch (error) {
    if (isSconceError(error, "TWO_COPIES")) throw error;
    // Getters that throw, lists that hold themselves.
    problems.push({ code: "MALFORMED", message: `a part of it cannot be read (${errorText(error)})` });
  }
  return problems;
}

function* checkGraph(graph: Graph, path: string, problems: Problem[]): Work<void> {
  yield* eachInPieces(graph.nodes(), (node) => {
    const { name } = (node ?? {}) as Partial<Node>;
    const where = typeof name === "string" ? name : undefined;
    nodeParts(node, where === undefined ? "a node" : `node ${where}`, collector(problems, where, path));
  });
  nested(graph.subgraphs, "subgraphs", collector(problems, undefined, path));
  if (!(graph.subgraphs instanceof Map)) return;
  for (const [target, inner] of graph.subgraphs) {
    if (inner instanceof Graph)
      yield* checkGraph(inner, path === "" ? target : `${path}.${target}`, problems);
  }
}

/** Collects the first problems of one part or node. */
function collector(problems: Problem[], node?: string, graph?: string): ReportAt {
  let count = 0;
  return (at, problem) => {
    if (count++ < MOST) problems.push({ code: "MALFORMED", message: `${at} ${problem}`, node, graph });
  };
}

/**
 * `verify` for programs from untyped code, such as JavaScript plugins. Parts with a wrong type are
 * reported with their places.
 */
export const verifyAll = (program: ExportedProgram, options: VerifyOptions = {}): Problem[] =>
  finish(verifyAllSteps(program, options));

/** As {@link verifyAll}, in pieces. */
export function* verifyAllSteps(program: ExportedProgram, options: VerifyOptions = {}): Work<Problem[]> {
  const malformed = yield* partSteps(program);
  if (malformed.length > 0) return malformed;
  return withCycles(yield* verifySteps(program, options), program.graph);
}
