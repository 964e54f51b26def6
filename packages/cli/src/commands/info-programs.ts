/** @file `sconce info` of an archive with several programs, where none is chosen. */
import { countText } from "@sconce/errors";
import { annotation, type ExportedProgram } from "@sconce/ir";
import type { Storage } from "@sconce/tensor";
import { fileName } from "../input-file.js";
import { json, type SafeIo } from "../io.js";
import { openPrograms, openReader } from "../open.js";
import { linesText, oneLine } from "../text.js";
import { type Facts, factsOf } from "./info-facts.js";
import { type InfoOptions, section, sizeOf, titleStyle } from "./info-text.js";

/** One program of the archive. */
interface ProgramFacts extends Omit<Facts, "format" | "fileBytes"> {
  readonly name: string;
}

/** Shows each program on one line, or with `--json` with all that `info` shows of one. */
export async function infoPrograms(file: string, options: InfoOptions, io: SafeIo): Promise<void> {
  const reader = await openReader(io, options.plugin, [file]);
  const programs = await openPrograms(file, reader, "lazy");
  const fileBytes = await sizeOf(file);
  const facts = [...programs].map(([name, program]): ProgramFacts => {
    const {
      format: _format,
      fileBytes: _fileBytes,
      ...rest
    } = factsOf(program, reader.operators, {
      format: "pt2",
      fileBytes,
    });
    return { name, ...rest };
  });
  const sharedBytes = bytesShared([...programs.values()]);
  if (!options.json) return io.styled(textOf(file, fileBytes, { programs, facts, sharedBytes }), titleStyle);
  const hashes = options.hash === false ? undefined : await hashesOf(programs);
  const list = facts.map((one) => ({ ...one, ...(hashes && { hash: hashes.get(one.name) }) }));
  io.out(json({ file, format: "pt2", fileBytes, sharedBytes, programs: list }));
}

async function hashesOf(programs: ReadonlyMap<string, ExportedProgram>): Promise<Map<string, unknown>> {
  const hashes = new Map<string, unknown>();
  for (const [name, program] of programs) hashes.set(name, await program.hash());
  return hashes;
}

/** Bytes of weights and constants that more than one program has. */
function bytesShared(programs: readonly ExportedProgram[]): number {
  const uses = new Map<Storage, number>();
  for (const { stateDict, constants } of programs) {
    const own = new Set([...stateDict.values(), ...constants.values()].map(({ storage }) => storage));
    for (const storage of own) uses.set(storage, (uses.get(storage) ?? 0) + 1);
  }
  return [...uses].reduce((sum, [{ byteLength }, count]) => (count > 1 ? sum + byteLength : sum), 0);
}

interface Shown {
  readonly programs: ReadonlyMap<string, ExportedProgram>;
  readonly facts: readonly ProgramFacts[];
  readonly sharedBytes: number;
}

function textOf(file: string, fileBytes: number, { programs, facts, sharedBytes }: Shown): string {
  return linesText([
    `${fileName(file)}: ${countText(facts.length, "exported program")} (.pt2)`,
    `${countText(fileBytes, "byte")} in the file, ${countText(sharedBytes, "byte")} of state that several programs share`,
    ...section(
      "programs (choose one with --model NAME)",
      facts.map((one) => lineOf(one, programs.get(one.name)!)),
    ),
  ]);
}

/** `decode: 9 nodes, 60 bytes of state, (x: f32[1, 4]) -> relu: f32[1, 3]`. */
function lineOf(
  { name, nodes, stateBytes }: ProgramFacts,
  { graph, graphSignature }: ExportedProgram,
): string {
  const typed = (value: string): string => {
    const type = annotation(graph.find(value)?.meta.val);
    return type === undefined ? value : `${value}: ${type}`;
  };
  const inputs = graphSignature.inputSpecs.filter(({ kind }) => kind === "USER_INPUT");
  const outputs = graphSignature.outputSpecs.filter(({ kind }) => kind === "USER_OUTPUT");
  const names = (specs: readonly { readonly arg: { readonly name: string } }[]): string =>
    specs.map(({ arg }) => (arg.name === "" ? "(constant)" : typed(arg.name))).join(", ");
  return `${oneLine(name)}: ${countText(nodes, "node")}, ${countText(stateBytes, "byte")} of state, (${names(inputs)}) -> ${names(outputs)}`;
}
