/** @file Whether the parts of a program are of the kinds that its type promises: plugins in JavaScript can give anything. */
import { Tensor } from "@sconce/tensor";
import { Graph } from "../graph.js";
import type { Node } from "../node.js";
import type { ExportedProgram, ExportedProgramInit } from "../program.js";
import { argument, argumentSpec, nodeMeta } from "./argument-kinds.js";
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
  record,
  setOfText,
  text,
  told,
} from "./kinds.js";
import type { Report } from "./problem.js";

const tensors = map(kind("a tensor", (value) => value instanceof Tensor));

const treeSpec: Kind = fields({
  type: orNull(text),
  children: (value, at, tell) => trees(value, at, tell),
});
const trees = list(treeSpec);

const bound = orNull(kind("a bigint", (value) => typeof value === "bigint"));
const range = fields({
  min: number,
  max: number,
  exact: optional(fields({ min: bound, max: bound })),
  float: optional(flag),
});

/** Leaves that are read when first asked for are not asked for. */
const exampleInputs: Kind = (value, at, tell) => {
  if (!isObject(value)) return tell(at, `is ${told(value)}, not an object with leaves`);
  const own = Object.getOwnPropertyDescriptor(value, "leaves");
  if (own === undefined ? "leaves" in value : own.get !== undefined) return;
  list((leaf, where, say) => (leaf instanceof Tensor ? undefined : argument(leaf, where, say)))(
    own?.value,
    `${at}.leaves`,
    tell,
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
        kind: oneOf([
          "USER_OUTPUT",
          "LOSS_OUTPUT",
          "BUFFER_MUTATION",
          "PARAMETER_MUTATION",
          "GRADIENT_TO_PARAMETER",
          "GRADIENT_TO_USER_INPUT",
          "USER_INPUT_MUTATION",
          "TOKEN",
        ]),
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
  history: steps,
  undone: steps,
};

/** Most problems that are told of one part. */
const MOST = 10;

/** Reports parts of a wrong kind; gives their names. */
export function checkParts(program: ExportedProgram, report: Report): ReadonlySet<string> {
  const malformed = new Set<string>();
  for (const [part, check] of Object.entries(PARTS)) {
    let count = 0;
    check(program[part as keyof ExportedProgramInit], part, (at, problem) => {
      malformed.add(part);
      if (count++ < MOST) report("MALFORMED", `${at} ${problem}`);
    });
  }
  return malformed;
}

const nodeParts = fields({
  name: text,
  op: text,
  target: text,
  args: list(argument),
  kwargs: record(argument),
  meta: nodeMeta,
});

/** The same for the nodes of one graph; true when all can be read. */
export function checkNodeParts(graph: Graph, report: Report): boolean {
  let count = 0;
  for (const node of graph.nodes()) {
    const { name } = (node ?? {}) as Partial<Node>;
    const where = typeof name === "string" ? name : undefined;
    nodeParts(node, where === undefined ? "a node" : `node ${where}`, (at, problem) => {
      if (count++ < MOST) report("MALFORMED", `${at} ${problem}`, where);
    });
  }
  map(kind("a graph", (value) => value instanceof Graph))(graph.subgraphs, "subgraphs", (at, problem) => {
    count++;
    report("MALFORMED", `${at} ${problem}`);
  });
  return count === 0;
}
