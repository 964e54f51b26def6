/**
 * @file Golden files: what each release writes, and how a later one reads it. A folder of a release
 * never changes.
 */
import { parseReproducer, reproducerText } from "@sconce/cli/readers";
import { type ExportedProgram, undo } from "@sconce/ir";
import { diffPrograms } from "@sconce/ir/diff";
import { historyFromJson, historyTensors, historyToJson, restoreHistory } from "@sconce/ir/history";
import { parseIr, printIr, tensorsOf } from "@sconce/ir/text";
import { builtinPasses, parsePattern, parsePipeline, patternText, printPipeline } from "@sconce/passes";
import { executeIR, extractIR, jsonIRText, readJsonIR, save } from "@sconce/session";
import { readSafetensors, type Tensor, writeSafetensors } from "@sconce/tensor";
import { goldenPrograms, numbered, outputsOf, STATIC, session } from "./programs.js";

/** The files of a folder by name. */
export type GoldenFolder = ReadonlyMap<string, Uint8Array>;

/** A difference between a golden file and what was read of it; none is right. */
export type Problems = readonly string[];

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const textIn = (folder: GoldenFolder, name: string): string => new TextDecoder().decode(folder.get(name));
const PASSES = new Map(builtinPasses.map((pass) => [pass.name, pass]));
const PIPELINE = "decompose{keep=[aten.linear.default]},repeat{max=3}(cse,dce)";
const PATTERN = "aten.mul.Tensor(aten.relu.default($x) as $call, $scale)";
const HISTORY_PASSES = "decompose,cse,dce";

/** Returns what this version writes. */
export async function goldenFiles(): Promise<GoldenFolder> {
  const files = new Map<string, Uint8Array>();
  for (const [name, program] of await goldenPrograms()) {
    const lowered = session.transform(program, HISTORY_PASSES);
    files.set(`${name}.sir`, utf8(printIr(program)));
    files.set(`${name}.safetensors`, writeSafetensors([...tensorsOf(program)]));
    files.set(`${name}.pt2`, await save(program));
    files.set(`${name}.outputs.safetensors`, writeSafetensors(await outputsOf(program)));
    files.set(`${name}.lowered.sir`, utf8(printIr(lowered)));
    files.set(`${name}.lowered.safetensors`, writeSafetensors([...tensorsOf(lowered)]));
    files.set(`${name}.history.json`, utf8(historyToJson(lowered)));
    files.set(`${name}.history.safetensors`, writeSafetensors([...historyTensors(lowered)]));
    files.set(`${name}.reproducer.txt`, utf8(reproducerOf(program)));
  }
  files.set(`${STATIC}.json-ir.json`, utf8(jsonIRText(extractIR((await goldenPrograms()).get(STATIC)!))));
  files.set("pipeline.txt", utf8(printPipeline(parsePipeline(PIPELINE, PASSES))));
  files.set("pattern.txt", utf8(patternText(parsePattern(PATTERN))));
  return files;
}

const reproducerOf = (program: ExportedProgram): string =>
  reproducerText({
    program,
    inputs: program.exampleInputs!.leaves as readonly Tensor[],
    passes: HISTORY_PASSES,
    plugins: ["./plugin.mjs"],
    check: { seed: 3, rtol: 1e-5 },
    failure: { kind: "numbers", code: "PASS_CHANGED_NUMBERS", pass: "cse", message: "an output differs" },
  });

type Check = (holds: boolean, what: string) => void;

/** Reads all files of a folder, writes them again, and compares. */
export async function readGolden(folder: GoldenFolder): Promise<Problems> {
  const problems: string[] = [];
  const check: Check = (holds, what) => void (holds || problems.push(what));
  const names = [...folder.keys()].filter((name) => name.endsWith(".pt2")).map((name) => name.slice(0, -4));
  check(names.length >= 3, "programs are missing");
  for (const name of names) {
    const files = new ProgramFiles(folder, name);
    await files.checkProgram(check);
    files.checkHistory(check);
    files.checkReproducer(check);
  }
  const pipeline = textIn(folder, "pipeline.txt");
  check(printPipeline(parsePipeline(pipeline, PASSES)) === pipeline, "pipeline.txt");
  const pattern = textIn(folder, "pattern.txt");
  check(patternText(parsePattern(pattern)) === pattern, "pattern.txt");
  await checkJsonIR(folder, check);
  return problems;
}

/** JSON IR gives the same outputs with the same weights. */
async function checkJsonIR(folder: GoldenFolder, check: Check): Promise<void> {
  const name = `${STATIC}.json-ir.json`;
  const ir = readJsonIR(textIn(folder, name));
  check(jsonIRText(readJsonIR(jsonIRText(ir))) === jsonIRText(ir), `${name}: other content`);
  const { program, expected } = new ProgramFiles(folder, STATIC);
  const inputs = program.exampleInputs!.leaves as readonly Tensor[];
  const outputs = await executeIR(ir, inputs, { weights: program.stateDict, backend: "cpu" });
  check(expected.equals(writeSafetensors(numbered(outputs))), `${name}: other outputs`);
}

/** The files of one program in a folder. */
class ProgramFiles {
  readonly #folder: GoldenFolder;
  readonly #name: string;
  readonly program: ExportedProgram;
  /** The outputs as a safetensors file. */
  readonly expected: Buffer;

  constructor(folder: GoldenFolder, name: string) {
    this.#folder = folder;
    this.#name = name;
    this.program = parseIr(this.#text("sir"), { tensors: this.#tensors("") });
    this.expected = Buffer.from(folder.get(`${name}.outputs.safetensors`)!);
  }

  #text(end: string): string {
    return textIn(this.#folder, `${this.#name}.${end}`);
  }

  #tensors(part: string): ReadonlyMap<string, Tensor> {
    return readSafetensors(this.#folder.get(`${this.#name}${part}.safetensors`)!).tensors;
  }

  /** IR text and archive are one program, which gives the same outputs. */
  async checkProgram(check: Check): Promise<void> {
    const program = this.program;
    const again = parseIr(printIr(program), { tensors: tensorsOf(program) });
    check(diffPrograms(program, again).equal, `${this.#name}.sir: other content`);
    const archive = await session.load(this.#folder.get(`${this.#name}.pt2`)!);
    check(
      diffPrograms(archive, await session.load(await save(archive))).equal,
      `${this.#name}.pt2: other content`,
    );
    const options = { ignoreMetadata: true };
    check(diffPrograms(program, archive, options).equal, `${this.#name}.pt2: not the program of the text`);
    for (const one of [program, archive])
      check(this.expected.equals(writeSafetensors(await outputsOf(one))), `${this.#name}: other outputs`);
  }

  /** The history leads from the lowered program back to the first one. */
  checkHistory(check: Check): void {
    const own = this.#tensors(".lowered");
    const lowered = parseIr(this.#text("lowered.sir"), { tensors: own });
    const all = new Map([...own, ...this.#tensors(".history")]);
    const restored = restoreHistory(lowered, historyFromJson(this.#text("history.json"), all));
    const again = restoreHistory(lowered, historyFromJson(historyToJson(restored), all));
    check(restored.history.length > 0, `${this.#name}.history.json: no steps`);
    check(historyToJson(again) === historyToJson(restored), `${this.#name}.history.json: other content`);
    const first = undo(restored, restored.history.length);
    check(diffPrograms(first, this.program).equal, `${this.#name}.history.json: another first version`);
  }

  checkReproducer(check: Check): void {
    const name = `${this.#name}.reproducer.txt`;
    const reproducer = parseReproducer(this.#text("reproducer.txt"));
    const text = reproducerText(reproducer);
    check(text === reproducerText(parseReproducer(text)), `${name}: other content`);
    check(diffPrograms(reproducer.program, this.program).equal, `${name}: another program`);
    check(reproducer.passes === HISTORY_PASSES && reproducer.failure.pass === "cse", `${name}: other facts`);
  }
}
