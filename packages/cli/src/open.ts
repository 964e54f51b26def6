/** @file Sessions and program files, as all commands open them. */
import { isSconceError } from "@sconce/errors";
import { type ReadPt2Options, readPt2 } from "@sconce/formats";
import { openPt2File } from "@sconce/formats/node";
import { START_BYTES, tensorFormat } from "@sconce/formats/other-formats";
import { type ProgramFormat, programFormat, withNamedFormat } from "@sconce/formats/program-format";
import type { Backend, ExportedProgram, TargetOptions } from "@sconce/ir";
import type { ParseIrOptions } from "@sconce/ir/text";
import { createSconce, type Sconce } from "@sconce/session";
import {
  builtinBackends,
  hasThreads,
  isKnownBackend,
  type LoadBackendOptions,
  loadBackend,
} from "@sconce/session/backends";
import { readSafetensors, type Tensor } from "@sconce/tensor";
import { fileError, modelOfText, noTensorFile, systemCode } from "./errors.js";
import { fileName, readBytes, readStandardInput, readStart, STANDARD } from "./input-file.js";
import type { SafeIo } from "./io.js";
import { readJsonIRFile } from "./json-ir.js";
import { librariesFor } from "./libraries.js";
import { commandLimits, commandModel, commandWork, withCommandFix } from "./limits.js";
import { loadPlugin } from "./plugin-module.js";
import { openReproducer } from "./reproducer.js";
import { readSir, withOtherNames } from "./sir.js";

/** The backend of every session. */
const INTERPRETER = "cpu";

/**
 * Opens a session with plugins from module paths or installed packages. Warnings go to standard
 * error. The session has the backends of Sconce's packages that are installed, those of the
 * plugins, and those of `backend`, which `loading` is for. Plugins of libraries whose operators the
 * files call are loaded too.
 * @throws SconceError `PLUGIN`, `NAME_CLASH`, `UNKNOWN_BACKEND`
 */
export async function openSession(
  io: Pick<SafeIo, "warn" | "onOpen">,
  modules: readonly string[] = [],
  backend: string | readonly string[] = INTERPRETER,
  files: readonly string[] = [],
  loading: LoadBackendOptions = {},
): Promise<Sconce> {
  const logger = { warn: (message: string) => io.warn(message) };
  io.onOpen?.();
  const own = await Promise.all(modules.map(loadPlugin));
  const plugins = [...own, ...(await librariesFor(files, own))];
  const wanted = [backend].flat();
  const backends = await backendsFor(wanted, loading);
  let session: Sconce;
  try {
    const { maxBytes } = commandLimits();
    const bound = maxBytes === undefined ? {} : { maxBytes };
    session = createSconce({ plugins, backends, services: { logger }, ...bound });
  } catch (error) {
    throw isSconceError(error) && modules.length > 0 ? error.at(modules.join(", ")) : error;
  }
  for (const name of wanted) session.backend(name);
  return session;
}

/**
 * The backends that Sconce loads by name and that are installed, with those that are asked for.
 */
async function backendsFor(wanted: readonly string[], loading: LoadBackendOptions): Promise<Backend[]> {
  const names = new Set([...builtinBackends, ...wanted.filter(isKnownBackend)]);
  names.delete(INTERPRETER);
  // Options are for the backends that take them; if none does, the first rejects them.
  const takes = wanted.some(hasThreads) ? hasThreads : (one: string) => one === wanted[0];
  const optionsOf = (one: string): LoadBackendOptions => (wanted.includes(one) && takes(one) ? loading : {});
  if (wanted.includes(INTERPRETER)) await loadBackend(INTERPRETER, optionsOf(INTERPRETER));
  const loaded = [...names].map((one) =>
    loadBackend(one, optionsOf(one)).catch((error: unknown) => {
      if (wanted.includes(one)) throw error;
      return undefined;
    }),
  );
  return (await Promise.all(loaded)).filter((one) => one !== undefined);
}

/**
 * Reads a program file: `.pt2`, IR text with its tensors beside it, a reproducer, or JSON IR; the
 * content decides which, and the name says what a file without a program should be.
 * @throws SconceError `FILE`, and those of the reader with the path in front of the place
 */
export function openProgram(
  path: string,
  session: Sconce,
  options: OpenOptions = {},
): Promise<ExportedProgram> {
  return opened(path, session, { ...options, needsTensors: true });
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
  session: Sconce,
  weights: string | undefined,
  options: OpenOptions = {},
): Promise<ExportedProgram> {
  const program = await opened(path, session, { ...options, needsTensors: weights === undefined });
  if (weights === undefined) return program;
  return atFile(weights, async () => program.withState(weightsIn(await tensorBytes(weights), program)));
}

/** The tensors of a file, without second names and sample inputs that the program does not have. */
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
  session: Sconce,
  { needsTensors, unknownTargets, weights }: OpenOptions & { readonly needsTensors: boolean },
): Promise<ExportedProgram> {
  const { operators, pytreeTypes } = session;
  const onWarning = (message: string): void => session.services.logger.warn(message);
  const parse = (text: string, options?: ParseIrOptions): ExportedProgram =>
    session.parseIr(text, { ...options, ...commandWork(), unknownTargets });
  return atFile(path, async () => {
    const [format, model] = [await formatOf(path), commandModel()];
    if (format !== "pt2" && model !== undefined) throw modelOfText(model);
    if (format === "json-ir") return readJsonIRFile(path, session);
    if (format === "sir") return (await openReproducer(path))?.program ?? readSir(path, needsTensors, parse);
    return openArchive(path, { operators, pytreeTypes, weights, onWarning, model, ...commandWork() });
  });
}

async function openArchive(path: string, options: ReadPt2Options): Promise<ExportedProgram> {
  if (path === STANDARD) return readPt2(await readStandardInput(), options);
  try {
    return await openPt2File(path, options);
  } catch (error) {
    throw withNamedFormat(error, path);
  }
}

/** The formats of program files, as commands name them. */
export type FileFormat = Exclude<ProgramFormat, "reproducer">;

/**
 * The format of a file: a reproducer is IR text.
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

/** The bytes of a safetensors file. @throws SconceError `OTHER_FORMAT` for what is none */
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
