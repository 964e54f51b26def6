/** @file Saving several programs as one `.pt2`. */
import { checkOptions, type LongWorkOptions, type OptionNames } from "@sconce/errors";
import type { PackagePt2Options, WritePt2Options } from "@sconce/formats";
import { ExportedProgram, requireProgram } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { isStream, SAVE_OPTIONS, WRITER, written } from "./save.js";

/** How several programs go into one file. */
export interface PackageOptions extends LongWorkOptions, Omit<PackagePt2Options, "folder"> {}

/** The names of {@link PackageOptions}. */
const PACKAGE_OPTIONS: OptionNames<PackageOptions> = { ...SAVE_OPTIONS, sharedWeights: true };

/**
 * Programs by the names that a file has for them: an object, or a map. One program is named
 * `model`, as `torch.export.save` names it.
 */
export type PackagePrograms =
  | ExportedProgram
  | Readonly<Record<string, ExportedProgram>>
  | ReadonlyMap<string, ExportedProgram>;

/** What a session adds: its operators, and the check of each program. */
export interface PackagingSession {
  readonly own: Pick<PackageOptions, "operators" | "onWarning">;
  requireValid(program: ExportedProgram, name: string): void;
}

/** Writes several programs of a session to a stream, or gives the bytes. */
export async function packagePrograms(
  programs: PackagePrograms,
  target: WritableStream<Uint8Array> | PackageOptions | undefined,
  options: PackageOptions | undefined,
  { own, requireValid }: PackagingSession,
): Promise<Uint8Array | undefined> {
  checkOptions("packagePt2", isStream(target) ? options : target, PACKAGE_OPTIONS);
  const named = namedPrograms(programs);
  for (const [name, program] of named) requireValid(program, name);
  return written(target, options, (given) => packagedPieces(named, { ...own, ...given }));
}

/** Programs by name. @throws SconceError `INVALID_ARGUMENT` for other values than programs */
export function namedPrograms(programs: PackagePrograms): ReadonlyMap<string, ExportedProgram> {
  const isOne = typeof programs !== "object" || programs === null || programs instanceof ExportedProgram;
  const named: [string, unknown][] = isOne
    ? [[MODEL, programs]]
    : Symbol.iterator in programs
      ? [...programs]
      : Object.entries(programs);
  return new Map(
    named.map(([name, program]) => {
      requireProgram(program, "packagePt2");
      return [name, program];
    }),
  );
}

/** The name of a program that is alone. */
const MODEL = "model";

/** Returns the pieces of a file of several programs. */
export async function packagedPieces(
  programs: ReadonlyMap<string, ExportedProgram>,
  options: PackageOptions & Pick<WritePt2Options, "folder"> = {},
): Promise<AsyncGenerator<Uint8Array, void>> {
  const { folder, ...rest } = options;
  checkOptions("packagePt2", rest, PACKAGE_OPTIONS);
  const { packagePieces } = await WRITER.load();
  return packagePieces(programs, { operators: defaultOperators(), ...rest, folder });
}
