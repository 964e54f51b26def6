/**
 * @file Reproducers of `sconce bisect`: one text file with a program, its tensors, inputs, passes,
 * plugins, options of checking, and the failure that it shows. See docs/concepts/bisection.md for
 * the format.
 */
import { dirname, resolve } from "node:path";
import { Budget, isSconceError, parsePlainJson, type WorkOptions } from "@sconce/errors";
import type { ExportedProgram, Value } from "@sconce/ir";
import { parseIr, printIr, tensorsOf } from "@sconce/ir/text";
import { type Storage, Tensor } from "@sconce/tensor";
import { fileError, malformed, otherReproducerVersion } from "./errors.js";
import { fileName, readBytes, readStart } from "./input-file.js";
import { commandWork, withCommandFix } from "./limits.js";
import { StorageReader, storageLine, tensorEntry } from "./reproducer-tensors.js";
import { scalarJson, scalarOfJson } from "./scalar-json.js";

const MAGIC = "sconce-reproducer 1";
const SECTIONS = ["program", "storages", "tensors"] as const;

/** What was found, to compare with what is found again. */
export interface RecordedFailure {
  readonly kind: string;
  readonly code: string;
  readonly pass: string;
  readonly plugin?: string | undefined;
  readonly rule?: string | undefined;
  readonly message: string;
}

/** What a reproducer says besides its program. */
interface ReproducerFacts {
  readonly passes: string;
  /** Module paths, relative to the folder of the file. */
  readonly plugins: readonly string[];
  readonly check: { readonly seed?: number; readonly rtol?: number; readonly atol?: number };
  readonly failure: RecordedFailure;
}

export interface ReproducerFile extends ReproducerFacts {
  readonly program: ExportedProgram;
  readonly inputs: readonly Value[];
}

/** Returns the text of a reproducer. */
export function reproducerText({ program, inputs, ...facts }: ReproducerFile): string {
  const storages = new Map<Storage, number>();
  const tensors = new Map([...tensorsOf(program)].filter(([, tensor]) => tensor.hasValues));
  const names = new Map([...tensors].map(([name, tensor]) => [tensor, name]));
  const given = inputs.map((value, i): unknown => {
    if (!(value instanceof Tensor)) return scalarJson(value);
    const name = names.get(value) ?? `input.${i}`;
    tensors.set(name, value);
    return { tensor: name };
  });
  const entries = [...tensors].map(([name, tensor]) => tensorEntry(name, tensor, storages));
  return [
    MAGIC,
    "// To see the failure again: sconce bisect FILE. The program and its inputs: sconce run FILE.",
    JSON.stringify({ ...facts, inputs: given }, undefined, 2),
    "--- program",
    printIr(program).trimEnd(),
    "--- storages",
    ...[...storages.keys()].map(storageLine),
    "--- tensors",
    ...entries,
    "",
  ].join("\n");
}

const MAGIC_BYTES = 64;

/** Returns whether a file is a reproducer, by how it begins. */
const isReproducer = (start: Uint8Array): boolean =>
  new TextDecoder().decode(start).startsWith("sconce-reproducer ");

/** A reproducer and its plugins as paths that can be opened. */
export interface OpenedReproducer extends ReproducerFile {
  readonly modules: readonly string[];
}

/**
 * Reads a file as a reproducer; undefined when it is another kind of file.
 * @throws SconceError `REPRODUCER`, `IR_SYNTAX` and the like with the path, `FILE`
 */
export async function openReproducer(path: string): Promise<OpenedReproducer | undefined> {
  const start = await readStart(path, MAGIC_BYTES).catch((error: unknown) => {
    throw fileError(path, error);
  });
  if (!isReproducer(start)) return undefined;
  const bytes = await readBytes(path);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const file = parseReproducer(text, commandWork());
    return { ...file, modules: file.plugins.map((plugin) => resolve(dirname(path), plugin)) };
  } catch (error) {
    if (error instanceof TypeError) throw malformed("is not UTF-8", error).at(fileName(path));
    throw isSconceError(error) ? withCommandFix(error).at(fileName(path)) : error;
  }
}

/** @throws SconceError `REPRODUCER`, `FORMAT_VERSION`, `BUDGET_EXCEEDED`; those of IR text */
export function parseReproducer(text: string, options: WorkOptions = {}): ReproducerFile {
  const budget = Budget.of(options, text.length);
  const [magic] = text.split("\n", 1);
  const version = /^sconce-reproducer (\d{1,6})(?:\.\d{1,6})?$/.exec(magic ?? "")?.[1];
  if (version !== undefined && version !== "1") throw otherReproducerVersion(version);
  if (version === undefined)
    throw malformed(`begins with ${JSON.stringify(magic)}, not with ${JSON.stringify(MAGIC)}`);
  const { header, sections } = sectionsOf(text);
  const { inputs, ...facts } = factsOf(header, budget);
  const reader = new StorageReader(sections.get("storages")!, budget, malformed);
  const tensors = reader.tensors(sections.get("tensors")!);
  const program = parseIr(sections.get("program")!.join("\n"), {
    tensors,
    unknownTargets: "allow",
    budget,
  });
  const count = program.graphSignature.inputSpecs.filter(({ kind }) => kind === "USER_INPUT").length;
  if (inputs.length !== count) throw malformed(`has ${inputs.length} inputs for a program of ${count}`);
  const inputOf = (value: unknown, i: number): Value => {
    const name = (value as { readonly tensor?: unknown } | null)?.tensor;
    if (name === undefined) return scalarValue(value, i);
    const tensor = typeof name === "string" ? tensors.get(name) : undefined;
    if (tensor === undefined) throw malformed(`has no tensor ${JSON.stringify(name)}, which is input ${i}`);
    return tensor;
  };
  return { ...facts, program, inputs: inputs.map(inputOf) };
}

interface Sections {
  readonly header: string;
  readonly sections: ReadonlyMap<string, readonly string[]>;
}

function sectionsOf(text: string): Sections {
  const sections = new Map<string, string[]>();
  const header: string[] = [];
  let current = header;
  for (const line of text.split("\n").slice(1)) {
    const name = /^--- (.*)$/.exec(line)?.[1];
    if (name === undefined) {
      if (current !== header || !line.startsWith("//")) current.push(line);
      continue;
    }
    if (name !== SECTIONS[sections.size])
      throw malformed(`has a section "${name}" where "${SECTIONS[sections.size] ?? "the end"}" is expected`);
    current = [];
    sections.set(name, current);
  }
  const missing = SECTIONS.find((name) => !sections.has(name));
  if (missing !== undefined) throw malformed(`has no section "${missing}": it is cut off`);
  return { header: header.join("\n"), sections };
}

function factsOf(text: string, budget: Budget): ReproducerFacts & { readonly inputs: readonly unknown[] } {
  const facts = parsePlainJson(text, {
    budget,
    fail: (message, at, cause) => malformed(`has a bad header at character ${at}: ${message}`, cause),
  });
  const given = (typeof facts === "object" && facts !== null ? facts : {}) as Record<string, unknown>;
  const { passes, plugins, inputs, check, failure } = given;
  const need = (isRight: boolean, what: string): void => {
    if (!isRight) throw malformed(`has a header without ${what}`);
  };
  need(typeof passes === "string", 'a pipeline as "passes"');
  need(isList(plugins) && plugins.every((one) => typeof one === "string"), 'a list of paths as "plugins"');
  need(isList(inputs), 'a list of inputs as "inputs"');
  need(isRecord(check) && ["seed", "rtol", "atol"].every((key) => isCount(check[key])), 'numbers in "check"');
  need(
    isRecord(failure) && ["kind", "code", "pass", "message"].every((key) => typeof failure[key] === "string"),
    'a "failure"',
  );
  return given as unknown as ReturnType<typeof factsOf>;
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isCount = (value: unknown): boolean =>
  value === undefined || (typeof value === "number" && Number.isFinite(value) && value >= 0);

function scalarValue(value: unknown, input: number): Value {
  const scalar = scalarOfJson(value);
  if (scalar === undefined)
    throw malformed(`has an input ${input} that cannot be read: ${JSON.stringify(value)}`);
  return scalar;
}
