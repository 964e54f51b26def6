/**
 * @file What a device relies on: kernels are made of the shapes, dtypes and strides that a program
 * records, which a file may state as it likes.
 */
import { isSconceError } from "@sconce/errors";
import { type ExportedProgram, FakeTensor, type Graph, type Node } from "@sconce/ir";
import { recordedProblem } from "@sconce/ir/verify";
import type { OperatorTable } from "@sconce/ops";
import { bodyProblem, checkRecorded, propagateShapes, withRuleLayouts } from "@sconce/passes";
import { sameSizes } from "@sconce/symbolic";

/**
 * Returns the program with values that its operators give for its inputs and its state, or why its
 * recorded values are not to be relied on.
 */
export function trustedProgram(program: ExportedProgram, operators: OperatorTable): ExportedProgram | string {
  const invalid = recordedProblem(program.graph);
  if (invalid !== undefined) return `it is not valid: ${invalid}`;
  const refused = isRecorded(program.graph, operators) ? undefined : whyRefused(program, operators);
  if (refused !== undefined) return `it is not valid: ${refused}`;
  const state = otherState(program);
  if (state === "value") return "its state has another dtype or shape than it records";
  const recorded = checkRecorded(program, operators);
  const problem = recorded.problems[0]?.message ?? bodyProblem(program.graph);
  if (problem !== undefined) return `it is not valid: ${problem}`;
  if (state === undefined && !recorded.hasOtherLayouts) return program;
  const laid = withRuleLayouts(program, operators);
  const [left] = checkRecorded(laid, operators).problems;
  return left === undefined ? laid : `it is not valid: ${left.message}`;
}

/** Returns whether all calls of operators record what they give, so that their rules are asked. */
const isRecorded = (graph: Graph, operators: OperatorTable): boolean =>
  graph.nodes().every((node) => !isOpen(node, operators)) &&
  [...graph.subgraphs.values()].every((nested) => isRecorded(nested, operators));

const isOpen = ({ op, target, meta }: Node, operators: OperatorTable): boolean =>
  op === "call_function" && meta.val === undefined && operators.get(target) !== undefined;

/** Returns whether some call with results records none. */
const lacksValues = (graph: Graph, operators: OperatorTable): boolean =>
  graph.nodes().some(({ op, target, meta }) => {
    if (op !== "call_function" || meta.val !== undefined) return false;
    return operators.get(target)?.schema.returns.length !== 0;
  }) || [...graph.subgraphs.values()].some((nested) => lacksValues(nested, operators));

/**
 * Returns a program whose calls lack values, with what their rules give: lowering decomposes calls,
 * whose own rules are asked for the sizes of a run only where they record values. The program
 * itself where a rule refuses, and where a value that it does record is not valid.
 */
export function withRecordedValues(program: ExportedProgram, operators: OperatorTable): ExportedProgram {
  if (!lacksValues(program.graph, operators) || recordedProblem(program.graph) !== undefined) return program;
  try {
    return propagateShapes(program, operators);
  } catch (error) {
    if (isSconceError(error)) return program;
    throw error;
  }
}

/**
 * Returns why an operator of a program without recorded values refuses its operands, if one does.
 */
function whyRefused(program: ExportedProgram, operators: OperatorTable): string | undefined {
  try {
    propagateShapes(program, operators);
    return undefined;
  } catch (error) {
    if (isSconceError(error)) return error.message;
    throw error;
  }
}

/** In what a tensor of the state is not what the program records, if any is not. */
function otherState(program: ExportedProgram): "value" | "layout" | undefined {
  let found: "layout" | undefined;
  for (const { arg, target, kind } of program.graphSignature.inputSpecs) {
    if (kind === "USER_INPUT" || arg.kind !== "tensor" || target === null) continue;
    const [tensor, value] = [program.tensor(target), program.graph.find(arg.name)?.meta.val];
    if (tensor === undefined || !(value instanceof FakeTensor)) continue;
    if (tensor.dtype !== value.dtype || !sameSizes(tensor.shape, value.shape)) return "value";
    if (!sameSizes(tensor.strides, value.strides) || tensor.storageOffset !== value.storageOffset)
      found = "layout";
  }
  return found;
}
