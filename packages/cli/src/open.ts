import { open } from "node:fs/promises";
import { isSconceError } from "@sconce/errors";
import { openPt2File } from "@sconce/formats/node";
import type { Backend, ExportedProgram, ParseIrOptions, TargetOptions } from "@sconce/ir";
import { builtinBackends, createSconce, loadBackend, type Sconce } from "@sconce/session";
import { readSafetensors, type Tensor } from "@sconce/tensor";
import { fileError, systemCode } from "./errors.js";
import { type Io, readBytes } from "./io.js";
import { librariesFor } from "./libraries.js";
import { loadPlugin } from "./plugin-module.js";
import { openReproducer } from "./reproducer.js";
import { isIrText, readSir, SNIFFED } from "./sir.js";

/** The backend of every session. */
const INTERPRETER = "cpu";

/**
 * Opens a session with plugins from module paths or installed packages. Warnings go to standard
 * error. The session has the backends of Sconce's packages that are installed, those of the
 * plugins, and those of `backend`. Plugins of libraries whose operators the files call are loaded
 * too.
 * @throws SconceError `PLUGIN`, `NAME_CLASH`, `UNKNOWN_BACKEND`
 */
export async function openSession(
  io: Pick<Io, "err">,
  modules: readonly string[] = [],
  backend: string | readonly string[] = INTERPRETER,
  files: readonly string[] = [],
): Promise<Sconce> {
  const logger = { warn: (message: string) => io.err(`warning: ${message}\n`) };
  const own = await Promise.all(modules.map(loadPlugin));
  const plugins = [...own, ...(await librariesFor(files, own))];
  const wanted = [backend].flat();
  const backends = await backendsFor(wanted);
  let session: Sconce;
  try {
    session = createSconce({ plugins, backends, services: { logger } });
  } catch (error) {
    throw isSconceError(error) && modules.length > 0 ? error.at(modules.join(", ")) : error;
  }
  for (const name of wanted) session.backend(name);
  return session;
}

/**
 * The backends that Sconce loads by name and that are installed, with those that are asked for.
 */
async function backendsFor(wanted: readonly string[]): Promise<Backend[]> {
  const names = new Set([...builtinBackends, ...wanted.filter(isVariant)]);
  names.delete(INTERPRETER);
  const loaded = [...names].map((one) =>
    loadBackend(one).catch((error: unknown) => {
      if (wanted.includes(one)) throw error;
      return undefined;
    }),
  );
  return (await Promise.all(loaded)).filter((one) => one !== undefined);
}

/** `gpujs:webasm`: one mode of a backend that Sconce loads. */
const isVariant = (name: string): boolean => builtinBackends.includes(name.split(":")[0]!);

/**
 * Reads a program file: `.pt2`, IR text with its tensors beside it, or a reproducer; the content
 * decides which.
 * @throws SconceError `FILE`, and those of the reader with the path in front of the place
 */
export function openProgram(path: string, session: Sconce): Promise<ExportedProgram> {
  return opened(path, session, true);
}

/** The option that gives values to the state of a program. */
export const WEIGHTS_OPTION = [
  "--weights <file>",
  "Read values of parameters, buffers and constants from a safetensors file, by name",
] as const;

/**
 * Reads a program file and gives it the values of a safetensors file, where one is named: all of
 * them, or some. IR text then needs no tensors beside it. `unknownTargets` says what becomes of
 * calls in IR text of what does not exist.
 * @throws SconceError `UNKNOWN_STATE`, `STATE_MISMATCH`, and those of {@link openProgram}
 */
export async function openWithWeights(
  path: string,
  session: Sconce,
  weights: string | undefined,
  unknownTargets?: TargetOptions["unknownTargets"],
): Promise<ExportedProgram> {
  const program = await opened(path, session, weights === undefined, unknownTargets);
  if (weights === undefined) return program;
  return atFile(weights, async () => program.withState(weightsIn(await readBytes(weights), program)));
}

/** A tied tensor that the file stores once has its other names in the metadata. */
function weightsIn(bytes: Uint8Array, program: ExportedProgram): Map<string, Tensor> {
  const { tensors, metadata } = readSafetensors(bytes);
  const tied = [...metadata].flatMap(([name, kept]) => {
    const tensor = tensors.get(kept);
    return tensor === undefined || tensors.has(name) || program.tensor(name) === undefined
      ? []
      : [[name, tensor] as const];
  });
  return new Map([...tensors, ...tied]);
}

function opened(
  path: string,
  session: Sconce,
  needsTensors: boolean,
  unknownTargets?: TargetOptions["unknownTargets"],
): Promise<ExportedProgram> {
  const { operators, pytreeTypes } = session;
  const parse = (text: string, options?: ParseIrOptions): ExportedProgram =>
    session.parseIr(text, { ...options, unknownTargets });
  return atFile(path, async () =>
    (await isIrFile(path))
      ? ((await openReproducer(path))?.program ?? readSir(path, needsTensors, parse))
      : openPt2File(path, { operators, pytreeTypes }),
  );
}

/** Whether a file is IR text, by how it begins. */
export async function isIrFile(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(SNIFFED), 0, SNIFFED, 0);
    return isIrText(buffer.subarray(0, bytesRead), path);
  } finally {
    await file.close();
  }
}

/** Reads a safetensors file. @throws SconceError `FILE`, `SAFETENSORS` */
export function openTensors(path: string): Promise<ReadonlyMap<string, Tensor>> {
  return atFile(path, async () => readSafetensors(await readBytes(path)).tensors);
}

/** Adds the path of a file to its errors. */
async function atFile<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (isSconceError(error)) throw error.code === "FILE" ? error : error.at(path);
    throw systemCode(error) === undefined ? error : fileError(path, error);
  }
}

/** Collects a repeatable option. */
export const repeatable = (value: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  value,
];
