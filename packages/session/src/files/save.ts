/** @file Saving programs as `.pt2`, to bytes and to web streams. */
import { checkOptions, LONG_WORK, type LongWorkOptions, latePart, type OptionNames } from "@sconce/errors";
import type { WritePt2Options } from "@sconce/formats";
import { type ExportedProgram, requireProgram } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { noTarget } from "./errors.js";

/** What goes into a file besides the program, and how to stop. */
export interface SaveOptions extends LongWorkOptions, Omit<WritePt2Options, "folder"> {}

/** The names of {@link SaveOptions}. */
export const SAVE_OPTIONS: OptionNames<SaveOptions> = {
  extraFiles: true,
  opsetVersion: true,
  operators: true,
  onWarning: true,
  ...LONG_WORK,
};

/**
 * Writes a program as a `.pt2` file that `torch.export.load` of PyTorch 2.14 reads, and returns its
 * bytes (`torch.export.save`). The bytes are made from the program alone, and the same program
 * gives the same bytes. A program that was read and not changed gives PyTorch's own bytes. For
 * paths, use `savePt2File` of `sconce/node`.
 *
 * @throws SconceError `NOT_SAVABLE` with the node, `UNSAFE_TEXT` for names that PyTorch would run,
 * `OPTION_VALUE`, `TREE_NOT_SERIALIZABLE`, `ABORTED`
 */
export function save(program: ExportedProgram, options?: SaveOptions): Promise<Uint8Array>;
/**
 * Writes it to a web stream, piece by piece, and closes the stream. A stream that fails, and a save
 * that fails or is stopped, abort the stream.
 */
export function save(
  program: ExportedProgram,
  target: WritableStream<Uint8Array>,
  options?: SaveOptions,
): Promise<void>;
export async function save(
  program: ExportedProgram,
  target?: WritableStream<Uint8Array> | SaveOptions,
  options?: SaveOptions,
): Promise<unknown> {
  requireProgram(program, "save");
  return written(target, options, (given) => savedPieces(program, given));
}

/** Writes to a stream, or gives the bytes. */
export async function written<T extends object>(
  target: WritableStream<Uint8Array> | T | undefined,
  options: T | undefined,
  pieces: (options: T | undefined) => Promise<AsyncGenerator<Uint8Array, void>>,
): Promise<Uint8Array | undefined> {
  if (!isStream(target)) {
    if (options !== undefined) throw noTarget(target);
    return toBytes(await pieces(target));
  }
  await toStream(await pieces(options), target);
  return undefined;
}

/** Returns the pieces of the file, with all operators of PyTorch unless the options have others. */
export async function savedPieces(
  program: ExportedProgram,
  options: SaveOptions & Pick<WritePt2Options, "folder"> = {},
): Promise<AsyncGenerator<Uint8Array, void>> {
  const { folder, ...rest } = options;
  checkOptions("save", rest, SAVE_OPTIONS);
  const { pt2Pieces } = await WRITER.load();
  return pt2Pieces(program, { operators: defaultOperators(), ...rest, folder });
}

/** The module that writes archives, which is loaded when something is saved. */
export const WRITER = latePart("the module that writes archives", () => import("@sconce/formats/write"));

export const isStream = (target: unknown): target is WritableStream<Uint8Array> =>
  typeof target === "object" && target !== null && "getWriter" in target;

async function toBytes(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  const { joinPieces } = await WRITER.load();
  return joinPieces(all);
}

async function toStream(
  pieces: AsyncIterable<Uint8Array>,
  stream: WritableStream<Uint8Array>,
): Promise<void> {
  const writer = stream.getWriter();
  try {
    for await (const piece of pieces) {
      await writer.ready;
      // A consumer may transfer what it gets, and the pieces are views of the weights.
      await writer.write(piece.slice());
    }
    await writer.close();
  } catch (error) {
    // The error that ends the writing is reported; one of the stream's end adds nothing.
    await writer.abort(error).catch(() => {});
    throw error;
  } finally {
    writer.releaseLock();
  }
}
