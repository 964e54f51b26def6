/** @file Writes several programs as one archive. */
import { countText, shellWord } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { packagePt2File } from "@sconce/session/files";
import { usage } from "../errors.js";
import type { SafeIo } from "../io.js";
import { commandModel } from "../limits.js";
import { openProgram, openPrograms, programNames, type Reader } from "../open.js";
import { isPt2, reportWritten, requireOutput } from "../program-file.js";
import { openSession } from "../session.js";
import { oneLine } from "../text.js";

export interface PackOptions {
  readonly output: string;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

/** An argument: a file, with the name that its program gets. */
interface Given {
  readonly text: string;
  readonly name: string | undefined;
  readonly file: string;
}

export async function pack(texts: readonly string[], options: PackOptions, io: SafeIo): Promise<void> {
  const { output } = options;
  if (!isPt2(output)) throw usage(`${output} cannot hold several programs`, "name it OUT.pt2");
  await requireOutput(output);
  const given = texts.map(parseGiven);
  const files = given.map(({ file }) => file);
  const session = await openSession(io, options.plugin, undefined, files);
  const programs = await packed(given, session);
  await packagePt2File(programs, output, {
    operators: session.operators,
    sharedWeights: "content",
    onWarning: (message) => io.warn(message),
  });
  const list = [...programs].map(([name, { dialect, graph }]) => ({ name, dialect, nodes: graph.size }));
  const names = list.map(({ name }) => oneLine(name)).join(", ");
  const text = `${output}: ${countText(list.length, "program")}: ${names}; tensors in the file\n`;
  const facts = { output, programs: list };
  reportWritten(facts, text, options.json, io);
}

/** Parses NAME=FILE or FILE. A path that begins with a folder may contain `=`; a name cannot. */
function parseGiven(text: string): Given {
  const end = /^\.{0,2}\//.test(text) ? -1 : text.indexOf("=");
  const given = { text, name: end < 0 ? undefined : text.slice(0, end), file: text.slice(end + 1) };
  if (given.name === "" || given.file === "")
    throw usage(`${shellWord(text)} has no name or no file`, "write NAME=FILE, or FILE");
  return given;
}

/** @throws SconceError `USAGE` for two programs of one name */
async function packed(given: readonly Given[], reader: Reader): Promise<Map<string, ExportedProgram>> {
  const programs = new Map<string, ExportedProgram>();
  for (const one of given) {
    for (const [name, program] of await programsOf(one, reader)) {
      if (programs.has(name))
        throw usage(
          `two programs are named ${oneLine(name)}`,
          `give one of them another name: NAME=${shellWord(one.file)}`,
        );
      programs.set(name, program);
    }
  }
  return programs;
}

/** Returns the programs of a file; their weights are read when the package is written. */
async function programsOf(
  { name, file }: Given,
  reader: Reader,
): Promise<Iterable<[string, ExportedProgram]>> {
  const model = commandModel();
  if (name === undefined && model === undefined) return openPrograms(file, reader, "lazy");
  if (model !== undefined) return [[name ?? model, await openProgram(file, reader, { weights: "lazy" })]];
  const names = await programNames(file);
  if (names.length !== 1 || names[0] === "model")
    return [[name!, await openProgram(file, reader, { weights: "lazy" })]];
  const [program] = (await openPrograms(file, reader, "lazy")).values();
  return [[name!, program!]];
}
