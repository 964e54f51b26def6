/** @file Program files, as all commands open them. */
import { isSconceError, systemCode } from "@sconce/errors";
import { loadPt2, pt2ProgramNames, type ReadPt2Options, readPt2 } from "@sconce/formats";
import { loadPt2File, openPt2File, programNamesInPt2File } from "@sconce/formats/node";
import { START_BYTES, tensorFormat } from "@sconce/formats/other-formats";
import { type ProgramFormat, programFormat, withNamedFormat } from "@sconce/formats/program-format";
import type { ExportedProgram, PytreeRegistry, TargetOptions } from "@sconce/ir";
import { type ParseIrOptions, parseIr } from "@sconce/ir/text";
import { defaultOperators, type OperatorTable } from "@sconce/ops";
import type { Logger } from "@sconce/session";
import { readSafetensors, type Tensor, withOtherNames } from "@sconce/tensor";
import { fileError, modelOfText, noTensorFile } from "./errors.js";
import { fileName, inputBytes, readBytes, readStart, STANDARD } from "./input-file.js";
import type { SafeIo } from "./io.js";
import { readJsonIRFile } from "./json-ir.js";
import { librariesFor } from "./libraries.js";
import { commandModel, commandWork, withCommandFix } from "./limits.js";
import { openReproducer } from "./reproducer.js";
import { readSir } from "./sir.js";

/** What reading a program file takes; a session has it. */
export interface Reader {
  readonly operators: OperatorTable;
  readonly pytreeTypes: PytreeRegistry;
  readonly services: { readonly logger: Logger };
  parseIr(text: string, options?: ParseIrOptions): ExportedProgram;
}

/**
 * Opens what reads files, for commands that run no passes and nothing else: a session is loaded
 * only where plugins are given, or a file calls operators of a known library.
 * @throws SconceError `PLUGIN`, `NAME_CLASH`
 */
export async function openReader(
  io: Pick<SafeIo, "warn" | "onOpen">,
  modules: readonly string[] | undefined,
  files: readonly string[],
): Promise<Reader> {
  if ((modules ?? []).length > 0 || (await librariesFor(files, [])).length > 0)
    return (await import("./session.js")).openSession(io, modules, undefined, files);
  io.onOpen?.();
  const operators = defaultOperators();
  return {
    operators,
    pytreeTypes: new Map(),
    services: { logger: { warn: (message) => io.warn(message) } },
    parseIr: (text, options) => parseIr(text, { operators, ...options }),
  };
}

/**
 * Reads a program file: `.pt2`, IR text with its tensors beside it, a reproducer, or JSON IR; the
 * content decides which, and the name says what a file without a program should be.
 * @throws SconceError `FILE`, and those of the reader with the path in front of the place
 */
export function openProgram(
  path: string,
  reader: Reader,
  options: OpenOptions = {},
): Promise<ExportedProgram> {
  return opened(path, reader, { ...options, needsTensors: true });
}

/** How a program file is opened. */
export interface OpenOptions {
  /** What becomes of calls in IR text of what does not exist. */
  readonly unknownTargets?: TargetOptions["unknownTargets"];
  /**
   * When the weights of an archive are read: `lazy` for commands that do not need them, which then
   * do not check them either.
   */
  readonly weights?: ReadPt2Options["weights"];
}

/**
 * Reads a program file and gives it the values of a safetensors file, where one is named: all of
 * them, or some. IR text then needs no tensors beside it.
 * @throws SconceError `UNKNOWN_STATE`, `STATE_MISMATCH`, and those of {@link openProgram}
 */
export async function openWithWeights(
  path: string,
  reader: Reader,
  weights: string | undefined,
  options: OpenOptions = {},
): Promise<ExportedProgram> {
  const program = await opened(path, reader, { ...options, needsTensors: weights === undefined });
  if (weights === undefined) return program;
  return atFile(weights, async () => program.withState(weightsIn(await tensorBytes(weights), program)));
}

/**
 * Returns the tensors of a file, without second names and sample inputs that the program does not
 * have.
 */
function weightsIn(bytes: Uint8Array, program: ExportedProgram): Map<string, Tensor> {
  const stored = readSafetensors(bytes, commandWork());
  const all = withOtherNames(stored);
  for (const name of all.keys()) {
    // What `sconce lower` writes has the tensors of the sample inputs, too.
    const isOptional = !stored.tensors.has(name) || /^example\.\d+$/.test(name);
    if (isOptional && program.tensor(name) === undefined) all.delete(name);
  }
  return all;
}

function opened(
  path: string,
  reader: Reader,
  { needsTensors, unknownTargets, weights }: OpenOptions & { readonly needsTensors: boolean },
): Promise<ExportedProgram> {
  const { operators, pytreeTypes } = reader;
  const onWarning = (message: string): void => reader.services.logger.warn(message);
  const parse = (text: string, options?: ParseIrOptions): ExportedProgram =>
    reader.parseIr(text, { ...options, ...commandWork(), unknownTargets });
  return atFile(path, async () => {
    const [format, model] = [await formatOf(path), commandModel()];
    if (format !== "pt2" && model !== undefined) throw modelOfText(model);
    if (format === "json-ir") return readJsonIRFile(path, reader);
    if (format === "sir") return (await openReproducer(path))?.program ?? readSir(path, needsTensors, parse);
    return openArchive(path, { operators, pytreeTypes, weights, onWarning, model, ...commandWork() });
  });
}

/**
 * Returns the names of the programs in an archive; none for texts and for other files: opening
 * those reports why.
 */
export async function programNames(path: string): Promise<readonly string[]> {
  try {
    if ((await formatOf(path)) !== "pt2") return [];
    const bytes = await inputBytes(path);
    return await (bytes === undefined
      ? programNamesInPt2File(path, commandWork())
      : pt2ProgramNames(bytes, commandWork()));
  } catch {
    return [];
  }
}

/**
 * Reads all programs of a file by name; a text has one, `model`.
 * @throws SconceError as {@link openProgram}
 */
export async function openPrograms(
  path: string,
  reader: Reader,
  weights?: ReadPt2Options["weights"],
): Promise<ReadonlyMap<string, ExportedProgram>> {
  return atFile(path, async () => {
    if ((await formatOf(path)) !== "pt2") return new Map([["model", await openProgram(path, reader)]]);
    const { operators, pytreeTypes } = reader;
    const onWarning = (message: string): void => reader.services.logger.warn(message);
    const options = { operators, pytreeTypes, weights, onWarning, ...commandWork() };
    const bytes = await inputBytes(path);
    const { exportedPrograms } = await (bytes === undefined
      ? loadPt2File(path, options)
      : loadPt2(bytes, options));
    return exportedPrograms;
  });
}

async function openArchive(path: string, options: ReadPt2Options): Promise<ExportedProgram> {
  const bytes = await inputBytes(path);
  if (path === STANDARD) return readPt2(bytes ?? new Uint8Array(), options);
  try {
    return await (bytes === undefined ? openPt2File(path, options) : readPt2(bytes, options));
  } catch (error) {
    throw withNamedFormat(error, path);
  }
}

/** The formats of program files, as commands name them. */
export type FileFormat = Exclude<ProgramFormat, "reproducer">;

/**
 * Returns the format of a file: a reproducer is IR text.
 * @throws SconceError `OTHER_FORMAT`; the file system's own errors
 */
export async function formatOf(path: string): Promise<FileFormat> {
  const format = await programFormat(await readStart(path, START_BYTES), path);
  return format === "reproducer" ? "sir" : format;
}

/** Reads a safetensors file. @throws SconceError `FILE`, `OTHER_FORMAT`, `SAFETENSORS` */
export function openTensors(path: string): Promise<ReadonlyMap<string, Tensor>> {
  return atFile(path, async () => readSafetensors(await tensorBytes(path), commandWork()).tensors);
}

/** Returns the bytes of a safetensors file. @throws SconceError `OTHER_FORMAT` for what is none */
async function tensorBytes(path: string): Promise<Uint8Array> {
  const bytes = await readBytes(path);
  const other = tensorFormat(bytes);
  if (other !== undefined) throw noTensorFile(other);
  return bytes;
}

/** Adds the path of a file to its errors. */
export async function atFile<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (isSconceError(error)) throw error.code === "FILE" ? error : withCommandFix(error).at(fileName(path));
    throw systemCode(error) === undefined ? error : fileError(path, error);
  }
}
