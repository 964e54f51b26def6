/** @file Histories as JSON. Nodes are in it as IR text; tensors are named, and lie beside it. */
import {
  Budget,
  checkOptions,
  isSconceError,
  type OptionNames,
  parsePlainJson,
  requireText,
  WORK_OPTIONS,
  type WorkOptions,
} from "@sconce/errors";
import { Tensor } from "@sconce/tensor";
import { historyFormat } from "../graph/errors.js";
import { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import { Cursor } from "../ir-text/cursor.js";
import { ExpressionWriter } from "../ir-text/expressions.js";
import { readVersion, type VersionedFormat, type VersionOptions } from "../ir-text/format-version.js";
import { parseGraph } from "../ir-text/parse-program.js";
import { printIr, tensorsOf } from "../ir-text/print-program.js";
import { parseStaticTensor, tensorTypeText } from "../ir-text/types.js";
import type { ExportedProgram } from "../program/program.js";
import type { LineSplice } from "./program-lines.js";
import { type RecordedHistory, type RecordedStep, recordedHistory } from "./replay.js";
import type { GraphSplices, NestedChange, NodeSplice } from "./splices.js";

const FORMAT = "sconce-history";
const HISTORY: VersionedFormat = { name: "history JSON", version: { major: 1, minor: 0 } };
const MAX_DEPTH = 200;

/**
 * Returns the history of a program as JSON text, which {@link historyFromJson} reads. Its size
 * follows what the passes changed; {@link historyTensors} gives the tensors that it names and the
 * program does not hold.
 */
export function historyToJson(program: ExportedProgram): string {
  const recorded = recordedHistory(program);
  const names = tensorNames(program, recorded);
  const named = (tensors: ReadonlyMap<string, Tensor>): object =>
    Object.fromEntries(
      [...tensors].map(([key, tensor]) => [
        key,
        tensor.hasValues
          ? names.get(tensor)
          : { withoutValues: tensorTypeText(tensor, new ExpressionWriter()) },
      ]),
    );
  const steps = recorded.steps.map((step) => ({
    pass: step.pass,
    ...(step.call === undefined ? {} : { call: step.call }),
    graph: graphJson(step.graph),
    lines: step.lines.map(({ at, removed, added }) => [at, removed, added]),
    tensors: { before: named(step.tensorsBefore), after: named(step.tensorsAfter) },
  }));
  return JSON.stringify({ format: FORMAT, version: HISTORY.version.major, steps });
}

/**
 * Tensors of earlier versions, by the names that {@link historyToJson} uses: what belongs beside
 * it. The text itself says which had no values.
 */
export function historyTensors(program: ExportedProgram): Map<string, Tensor> {
  const own = new Set(tensorsOf(program).values());
  const names = tensorNames(program, recordedHistory(program));
  return new Map([...names].filter(([tensor]) => !own.has(tensor)).map(([tensor, name]) => [name, tensor]));
}

/** Returns the program's own tensors by their keys, others numbered. */
function tensorNames(program: ExportedProgram, { steps }: RecordedHistory): Map<Tensor, string> {
  const own = tensorsOf(program);
  const names = new Map<Tensor, string>();
  for (const [key, tensor] of own) if (!names.has(tensor)) names.set(tensor, key);
  let count = 0;
  for (const { tensorsBefore, tensorsAfter } of steps) {
    for (const tensor of [...tensorsBefore.values(), ...tensorsAfter.values()]) {
      if (names.has(tensor) || !tensor.hasValues) continue;
      while (own.has(`history.${count}`)) count++;
      names.set(tensor, `history.${count++}`);
    }
  }
  return names;
}

const nodesText = (splices: readonly NodeSplice[], side: "removed" | "added"): string =>
  printIr(new Graph(splices.flatMap((splice) => splice[side])), { metadata: true });

function graphJson({ splices, nested, targets }: GraphSplices): object {
  return {
    splices: splices.map(({ at, removed, added }) => [at, removed.length, added.length]),
    removed: nodesText(splices, "removed"),
    added: nodesText(splices, "added"),
    ...(nested.length === 0 ? {} : { nested: nested.map(nestedJson), targets }),
  };
}

const nestedJson = ({ target, change, removed, added }: NestedChange): object => ({
  target,
  ...(change === undefined ? {} : { change: graphJson(change) }),
  ...(removed === undefined ? {} : { removed: printIr(removed, { metadata: true }) }),
  ...(added === undefined ? {} : { added: printIr(added, { metadata: true }) }),
});

/** Bounds on the work, and what to do with a text of a newer version. */
export interface HistoryFromJsonOptions extends WorkOptions, VersionOptions {}

const OPTIONS: OptionNames<HistoryFromJsonOptions> = { ...WORK_OPTIONS, onWarning: true };

/**
 * Reads a history. `tensors` are those of `tensorsOf` the program and of {@link historyTensors}
 * together; only steps that change tensors need any.
 * @throws SconceError `HISTORY_FORMAT`, `FORMAT_VERSION`, `BUDGET_EXCEEDED`
 */
export function historyFromJson(
  text: string,
  tensors: ReadonlyMap<string, Tensor> = new Map(),
  options: HistoryFromJsonOptions = {},
): RecordedHistory {
  checkOptions("historyFromJson", options, OPTIONS);
  requireText(text, "historyFromJson");
  const budget = Budget.of(options, text.length);
  const json = parsePlainJson(text, {
    budget,
    depth: 8 * MAX_DEPTH,
    fail: (message, at, cause) => historyFormat(message, `character ${at}`, cause),
  });
  const { format, version, minor = 0, steps } = record(json, "the text");
  if (format !== FORMAT) throw historyFormat(`it is not a ${FORMAT}`, "format");
  const found = {
    version: { major: count(version, "version"), minor: count(minor, "minor") },
    where: "version",
  };
  return readVersion(HISTORY, found, options, () => ({
    steps: list(steps, "steps").map((step, i) => stepOf(step, `steps[${i}]`, tensors, budget)),
  }));
}

function stepOf(
  json: unknown,
  where: string,
  known: ReadonlyMap<string, Tensor>,
  budget: Budget,
): RecordedStep {
  const { pass, call, graph, lines, tensors } = record(json, where);
  const { before, after } = record(tensors, `${where}.tensors`);
  const named = (value: unknown, side: string): Map<string, Tensor> => {
    const at = `${where}.tensors.${side}`;
    return new Map(
      Object.entries(record(value, at)).map(([key, name]) => {
        const place = `${at}[${JSON.stringify(key)}]`;
        if (typeof name === "object" && name !== null) return [key, tensorWithoutValues(name, place, budget)];
        const tensor = known.get(string(name, place));
        if (tensor === undefined) throw historyFormat(`the tensor "${String(name)}" is not given`, place);
        return [key, tensor];
      }),
    );
  };
  return {
    pass: string(pass, `${where}.pass`),
    call: call === undefined ? undefined : string(call, `${where}.call`),
    graph: graphOf(graph, `${where}.graph`, { budget, depth: 0 }),
    lines: list(lines, `${where}.lines`).map((item, i) => lineOf(item, `${where}.lines[${i}]`)),
    tensorsBefore: named(before, "before"),
    tensorsAfter: named(after, "after"),
  };
}

function tensorWithoutValues(json: object, where: string, budget: Budget): Tensor {
  const { withoutValues } = record(json, where);
  try {
    const cursor = new Cursor(string(withoutValues, where), budget);
    const { dtype, shape, strides, storageOffset, requiresGrad } = parseStaticTensor(cursor);
    return Tensor.withoutValues({ dtype, shape, strides, storageOffset, requiresGrad });
  } catch (error) {
    if (!isSconceError(error, "IR_SYNTAX")) throw error;
    throw historyFormat(error.message, where, error);
  }
}

function lineOf(json: unknown, where: string): LineSplice {
  const [at, removed, added] = list(json, where);
  const texts = (value: unknown): string[] => list(value, where).map((item) => string(item, where));
  return { at: count(at, where), removed: texts(removed), added: texts(added) };
}

/** The work that is left, and how deep a graph is nested. */
interface Within {
  readonly budget: Budget;
  readonly depth: number;
}

function graphOf(json: unknown, where: string, within: Within): GraphSplices {
  const { budget, depth } = within;
  if (depth > MAX_DEPTH) throw historyFormat(`graphs nest more than ${MAX_DEPTH} deep`, where);
  const { splices, removed, added, nested = [], targets = [[], []] } = record(json, where);
  const [gone, come] = [
    parsed(removed, `${where}.removed`, budget).nodes(),
    parsed(added, `${where}.added`, budget).nodes(),
  ];
  const [oldTargets, newTargets] = list(targets, `${where}.targets`).map((side) =>
    list(side, where).map((item) => string(item, where)),
  );
  return {
    splices: takeSplices(list(splices, `${where}.splices`), gone, come, `${where}.splices`),
    nested: list(nested, `${where}.nested`).map((item, i) => nestedOf(item, `${where}.nested[${i}]`, within)),
    targets: [oldTargets ?? [], newTargets ?? []],
  };
}

function takeSplices(
  splices: readonly unknown[],
  gone: readonly Node[],
  come: readonly Node[],
  where: string,
): NodeSplice[] {
  let [g, c] = [0, 0];
  const result = splices.map((item, i): NodeSplice => {
    const place = `${where}[${i}]`;
    const [at, removed, added] = list(item, place).map((value, k) => count(value, `${place}[${k}]`));
    const splice = {
      at: at ?? 0,
      removed: gone.slice(g, g + (removed ?? 0)),
      added: come.slice(c, c + (added ?? 0)),
    };
    g += removed ?? 0;
    c += added ?? 0;
    return splice;
  });
  if (g !== gone.length || c !== come.length) throw historyFormat("splices and nodes do not add up", where);
  return result;
}

function nestedOf(json: unknown, where: string, { budget, depth }: Within): NestedChange {
  const { target, change, removed, added } = record(json, where);
  if ([change, removed, added].filter((value) => value !== undefined).length !== 1)
    throw historyFormat("a nested graph is either changed, removed or added", where);
  return {
    target: string(target, `${where}.target`),
    ...(change === undefined
      ? {}
      : { change: graphOf(change, `${where}.change`, { budget, depth: depth + 1 }) }),
    ...(removed === undefined ? {} : { removed: parsed(removed, `${where}.removed`, budget) }),
    ...(added === undefined ? {} : { added: parsed(added, `${where}.added`, budget) }),
  };
}

function parsed(text: unknown, where: string, budget: Budget): Graph {
  try {
    return parseGraph(string(text, where), { unknownTargets: "allow", budget });
  } catch (error) {
    if (!isSconceError(error, "IR_SYNTAX")) throw error;
    throw historyFormat(error.message, `${where}: ${error.where ?? ""}`, error);
  }
}

function record(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw historyFormat("an object is expected", where);
}

function list(value: unknown, where: string): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  throw historyFormat("a list is expected", where);
}

function string(value: unknown, where: string): string {
  if (typeof value === "string") return value;
  throw historyFormat("a text is expected", where);
}

function count(value: unknown, where: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw historyFormat("a count is expected", where);
}
