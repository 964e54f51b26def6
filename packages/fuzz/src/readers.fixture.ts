/** @file How each public reader is called with inputs of a size, and bounds on its work. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseReproducer, readNpy, reproducerText } from "@sconce/cli/readers";
import type { WorkOptions } from "@sconce/errors";
import * as errors from "@sconce/errors";
import * as formats from "@sconce/formats";
import * as files from "@sconce/formats/node";
import * as ir from "@sconce/ir";
import * as history from "@sconce/ir/history";
import * as text from "@sconce/ir/text";
import * as passes from "@sconce/passes";
import * as session from "@sconce/session";
import * as symbolic from "@sconce/symbolic";
import { readSafetensors, Tensor, writeSafetensors } from "@sconce/tensor";
import { afterAll } from "vitest";

const numbered = <T>(size: number, item: (i: number) => T): T[] =>
  Array.from({ length: size }, (_, i) => item(i));
const PASSES = new Map(passes.builtinPasses.map((pass) => [pass.name, pass]));

const LEAF = '{"type":null,"context":null,"children_spec":[]}';
const graphOf = (size: number): string => {
  const lines = numbered(size, (i) => `%v${i + 1}: f32[2] = aten.relu.default(%v${i})`);
  return `graph(%v0: f32[2]) { ${lines.join(" ")} return (%v${size}) }`;
};
const textOf = (size: number): string =>
  `program "ATEN" {\n  input %v0: USER_INPUT\n  output %v${size}: USER_OUTPUT\n  call "" ((*), {}) -> (*)\n}\n${graphOf(size)}\n`;
const programOf = (size: number): ir.ExportedProgram => session.parseIr(textOf(size));

const step = `{"pass":"dce","graph":{"splices":[],"removed":"graph() {}","added":"graph() {}"},"lines":[],"tensors":{"before":{},"after":{}}}`;
const historyOf = (size: number): string =>
  `{"format":"sconce-history","version":1,"steps":[${numbered(size, () => step).join(",")}]}`;

const tensorsOf = (size: number): Uint8Array =>
  writeSafetensors(numbered(size, (i) => [`t${i}`, Tensor.from([1])] as const));

const reproducerOf = (size: number): string =>
  reproducerText({
    program: programOf(size),
    inputs: [Tensor.from([1, 2])],
    passes: "dce",
    plugins: [],
    check: {},
    failure: { kind: "numbers", code: "A", pass: "dce", message: "" },
  });

function npyOf(size: number): Uint8Array {
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${size},), }\n`;
  const data = new Uint8Array(10 + header.length + 4 * size);
  data.set([...Buffer.from("\x93NUMPY\x01\0", "latin1"), header.length, 0, ...Buffer.from(header)]);
  return data;
}

/** Archives by size; making one takes longer than reading it. */
const ARCHIVES = new Map<number, Uint8Array>();
const archiveOf = async (size: number): Promise<Uint8Array> => {
  const known = ARCHIVES.get(size);
  if (known !== undefined) return known;
  const bytes = await session.save(programOf(size));
  ARCHIVES.set(size, bytes);
  return bytes;
};

const folder = mkdtempSync(join(tmpdir(), "sconce-readers-"));
afterAll(() => rmSync(folder, { recursive: true }));
const fileOf = async (size: number): Promise<string> => {
  const path = join(folder, `${size}.pt2`);
  writeFileSync(path, await archiveOf(size));
  return path;
};

type Reader = (size: number, work: WorkOptions) => unknown;

/** The readers by name; the input has `size` values, nodes, tensors or steps. */
export const READERS: Readonly<Record<string, Reader>> = {
  parseSrepr: (size, work) => symbolic.parseSrepr(numbered(size, (i) => `s${i}`).join(" + "), work),
  parseGuard: (size, work) => symbolic.parseGuard(numbered(size, () => "x == 1").join(" and "), work),
  parseTreeSpec: (size, work) => {
    const leaves = numbered(size, () => LEAF).join(",");
    return ir.parseTreeSpec(
      `[1,{"type":"builtins.list","context":"null","children_spec":[${leaves}]}]`,
      work,
    );
  },
  parseGraph: (size, work) => text.parseGraph(graphOf(size), work),
  parseIr: (size, work) => text.parseIr(textOf(size), work),
  historyFromJson: (size, work) => history.historyFromJson(historyOf(size), new Map(), work),
  parsePattern: (size, work) =>
    passes.parsePattern(`aten.cat.default([${numbered(size, () => "1").join(", ")}])`, work),
  parsePipeline: (size, work) => passes.parsePipeline(numbered(size, () => "dce").join(), PASSES, {}, work),
  readSafetensors: (size, work) => readSafetensors(tensorsOf(size), work),
  readPt2: async (size, work) => formats.readPt2(await archiveOf(size), work),
  openPt2File: async (size, work) => files.openPt2File(await fileOf(size), work),
  loadPt2: async (size, work) => formats.loadPt2(await archiveOf(size), work),
  loadPt2File: async (size, work) => files.loadPt2File(await fileOf(size), work),
  readJsonIR: (size, work) =>
    session.readJsonIR(session.jsonIRText(session.extractIR(programOf(size))), work),
  securityReport: async (size, work) => session.securityReport(await archiveOf(size), work),
  securityReportOfFile: async (size, work) => files.securityReportOfFile(await fileOf(size), work),
  parsePlainJson: (size, { budget }) =>
    errors.parsePlainJson(`[${numbered(size, () => "1").join()}]`, {
      budget: budget!,
      fail: (message) => new Error(message),
    }),
  parseReproducer: (size, work) => parseReproducer(reproducerOf(size), work),
  readNpy: (size, work) => readNpy(npyOf(size), work),
};

/** Other public functions that take a text or a path, and why they need no budget. */
export const OTHERS: Readonly<Record<string, string>> = {
  calledNamespaces: "searches the text of an archive, whose entries count; nothing is made of it",
  namespacesInPt2File: "the same for a file",
  pt2ProgramNames: "reads the names of an archive, whose entries count",
  programNamesInPt2File: "the same for a file",
  isZip: "looks at four bytes",
  parseDevice: "reads a name with one pattern",
  otherFormat: "looks at the first 4,096 bytes",
  tensorFormat: "looks at the first bytes",
  programFormat: "looks at the first 4,096 bytes",
  parseSchema: "reads what an author of operators writes in code",
  completePipeline: "completes what a user types",
  fileFault: "describes an error of the file system",
  openPath: "gives a source for readers; reads nothing of it",
  openUrl: "gives a source for readers; keeps the first 64 KiB",
  inModule: "compares the path of a module with a node",
  joinPieces: "joins what was written",
  run: "runs the command; its readers have budgets",
  stringRepr: "prints",
  dotLabel: "prints",
  markupLine: "prints",
  markupText: "prints",
  mermaidLabel: "prints",
  scriptComment: "prints",
  scriptString: "prints",
  shellPath: "prints",
  shellWord: "prints",
  visibleLine: "prints",
  symbolNumber: "hashes a name in one pass",
  visibleJson: "prints",
  visibleText: "prints",
  writeBytes: "writes",
};
