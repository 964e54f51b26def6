import {
  Budget,
  checkOptions,
  isSconceError,
  type OptionNames,
  requireText,
  WORK_OPTIONS,
  type WorkOptions,
} from "@sconce/errors";
import type { Tensor } from "@sconce/tensor";
import type { Graph } from "../graph/graph.js";
import { TARGETS, type TargetOptions } from "../graph/known-targets.js";
import type { ExportedProgram } from "../program/program.js";
import type { NodeMeta } from "../values/meta.js";
import { Cursor } from "./cursor.js";
import { parseSymbol, type Symbols } from "./expressions.js";
import {
  type FormatVersion,
  parseVersion,
  readVersion,
  type VersionedFormat,
  type VersionOptions,
} from "./format-version.js";
import { parseMetadata } from "./metadata.js";
import { finishGraph, type GraphDraft, parseGraphBody } from "./parse-graph.js";
import { ProgramDraft } from "./program-draft.js";

/** Which operators a graph may call, and bounds on the work of reading its text. */
export interface ParseGraphOptions extends TargetOptions, WorkOptions, VersionOptions {}

/** What {@link parseIr} reads with the text. */
export interface ParseIrOptions extends ParseGraphOptions {
  /**
   * Tensors that lie beside the text, by key; all that the text declares, but for those marked
   * `no_values`. Without the map declared tensors have no values: `program.withState` gives them
   * some.
   */
  readonly tensors?: ReadonlyMap<string, Tensor> | undefined;
}

/** The names of the options of {@link parseGraph}. */
export const PARSE_GRAPH_OPTIONS: OptionNames<ParseGraphOptions> = {
  ...TARGETS,
  ...WORK_OPTIONS,
  onWarning: true,
};
/** The names of the options of {@link parseIr}. */
export const PARSE_IR_OPTIONS: OptionNames<ParseIrOptions> = { tensors: true, ...PARSE_GRAPH_OPTIONS };

/**
 * Reads a graph, `graph(%x: f32[4]) { ... }`, with `symbol` lines before it and a metadata table
 * after it if wanted.
 * @param options what may be called; without a table of operators only their spelling is checked
 * @throws SconceError `IR_SYNTAX`, `UNKNOWN_TARGET`, `BUDGET_EXCEEDED` with line and column
 */
export function parseGraph(text: string, options: ParseGraphOptions = {}): Graph {
  checkOptions("parseGraph", options, PARSE_GRAPH_OPTIONS);
  requireText(text, "parseGraph");
  const { cursor, graph, metadata } = parseFile(text, undefined, options);
  return finishGraph(cursor, graph, metadata, options);
}

/**
 * Reads a program, what `printIr` writes.
 * @throws SconceError `IR_SYNTAX`, `FORMAT_VERSION`, `UNKNOWN_TARGET`, `BUDGET_EXCEEDED` with line
 * and column, `IR_TENSOR`
 */
export function parseIr(text: string, options: ParseIrOptions = {}): ExportedProgram {
  checkOptions("parseIr", options, PARSE_IR_OPTIONS);
  requireText(text, "parseIr");
  const { cursor, graph, metadata, program } = parseFile(text, new ProgramDraft(options.tensors), options);
  if (program === undefined) throw cursor.fail("the text has a graph but no program block", 0);
  return program.finish(finishGraph(cursor, graph, metadata, options));
}

interface IrFile {
  readonly cursor: Cursor;
  readonly graph: GraphDraft;
  readonly metadata: ReadonlyMap<number, NodeMeta>;
  readonly program: ProgramDraft | undefined;
}

function parseFile(text: string, draft: ProgramDraft | undefined, options: ParseGraphOptions): IrFile {
  const cursor = new Cursor(text, Budget.of(options, text.length));
  try {
    const found = parseHeader(cursor);
    const parts = (): IrFile => parseParts(cursor, draft);
    return found === undefined ? parts() : readVersion(FORMAT, found, options, parts);
  } catch (error) {
    // Sizes of types are computed while they are read: that names no line.
    throw isSconceError(error) && error.where === undefined ? error.at(cursor.place(cursor.at)) : error;
  }
}

function parseParts(cursor: Cursor, draft: ProgramDraft | undefined): IrFile {
  const symbols: Symbols = new Map();
  while (cursor.acceptWord("symbol")) parseSymbol(cursor, symbols);
  let program: ProgramDraft | undefined;
  if (cursor.acceptWord("program")) {
    (draft ?? new ProgramDraft(new Map())).parse(cursor, draft !== undefined);
    program = draft;
  }
  if (!cursor.acceptWord("graph")) throw cursor.fail(`expected graph, found ${cursor.found()}`);
  const graph = parseGraphBody(cursor, symbols);
  const metadata = cursor.acceptWord("metadata") ? parseMetadata(cursor) : new Map<number, NodeMeta>();
  if (!cursor.done) throw cursor.fail(`expected the end of the text, found ${cursor.found()}`);
  return { cursor, graph, metadata, program };
}

const FORMAT: VersionedFormat = { name: "IR text", version: { major: 1, minor: 0 } };

/** Returns the version that the text begins with, and its place. */
function parseHeader(cursor: Cursor): { version: FormatVersion; where: string } | undefined {
  if (!cursor.accept("sconce-ir")) return undefined;
  cursor.skip();
  const { at } = cursor;
  const version = parseVersion(cursor.number()?.text ?? "");
  if (version === undefined) throw cursor.fail("expected the version of the format", at);
  return { version, where: cursor.place(at) };
}
