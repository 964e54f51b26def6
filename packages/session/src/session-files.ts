/** @file The files of sessions: archives of one program, and of several. */
import { loadSessionKernels } from "@sconce/backend-cpu";
import { checkOptions, latePart } from "@sconce/errors";
import {
  type ByteSource,
  type LoadPt2Options,
  type PT2ArchiveContents,
  READ_PT2_OPTIONS,
  type ReadPt2Options,
} from "@sconce/formats";
import type { ExportedProgram } from "@sconce/ir";
import { invalidToSave, noTarget } from "./files/errors.js";
import { type PackageOptions, type PackagePrograms, packagePrograms } from "./files/package-programs.js";
import { isStream, SAVE_OPTIONS, type SaveOptions, save } from "./files/save.js";
import { SessionParts } from "./session-parts.js";

const READER = latePart("the module that reads archives", () => import("@sconce/formats/read"));

/** Reads and writes archives with the operators of the session. */
export class SessionFiles extends SessionParts {
  /**
   * Reads a program that PyTorch saved (`torch.export.save`). Calls of custom operators that the
   * session does not know are kept: the program prints and lowers, and `compile` says what it
   * lacks. Warnings go to the logger unless `onWarning` takes them.
   *
   * With `weights: "lazy"` the weights stay in the file: `compile`, `module`, `bisectAsync`,
   * `firstNonfinite` and `compareBackends` read them when they need them, `transformAsync` for
   * passes that read values, and `save` copies them. For other work, wait for `loadValues`.
   *
   * @throws SconceError with a code for each kind of damage; nothing in a file is ever run
   */
  load(source: ByteSource, options: ReadPt2Options = {}): Promise<ExportedProgram> {
    checkOptions("load", options, READ_PT2_OPTIONS);
    this.use();
    return this.#loaded(source, { ...this.#reading(), ...options });
  }

  #reading(): Pick<ReadPt2Options, "operators" | "pytreeTypes" | "onWarning"> {
    const onWarning = (message: string): void => this.services.logger.warn(message);
    return { operators: this.operators, pytreeTypes: this.pytreeTypes, onWarning };
  }

  async #loaded(source: ByteSource, options: ReadPt2Options): Promise<ExportedProgram> {
    const { readPt2 } = await READER.load();
    const program = await readPt2(source, options);
    await loadSessionKernels(program.graph, this.operators);
    return program;
  }

  /**
   * Reads all programs of an archive by name, and the files beside them (`load_pt2` of
   * `torch.export.pt2_archive`), as {@link load} reads one. Programs whose weights are one record
   * of the file share its memory.
   *
   * @throws SconceError as {@link load}
   */
  async loadPt2(source: ByteSource, options: LoadPt2Options = {}): Promise<PT2ArchiveContents> {
    this.use();
    const { loadPt2 } = await READER.load();
    const contents = await loadPt2(source, options, this.#reading());
    for (const { graph } of contents.exportedPrograms.values())
      await loadSessionKernels(graph, this.operators);
    return contents;
  }

  /**
   * Writes a program as a `.pt2` file that `torch.export.load` reads, and returns its bytes; see
   * `save`. The program is verified first, as PyTorch does. Warnings go to the logger unless
   * `onWarning` takes them.
   *
   * @throws SconceError `INVALID_PROGRAM` with every problem, and as `save`
   */
  save(program: ExportedProgram, options?: SaveOptions): Promise<Uint8Array>;
  /** The same to a web stream, which is closed, or aborted when the save fails. */
  save(program: ExportedProgram, target: WritableStream<Uint8Array>, options?: SaveOptions): Promise<void>;
  async save(
    program: ExportedProgram,
    target?: WritableStream<Uint8Array> | SaveOptions,
    options?: SaveOptions,
  ): Promise<unknown> {
    checkOptions("save", isStream(target) ? options : target, SAVE_OPTIONS);
    this.use("save", program);
    this.#requireValid(program);
    const own = this.#writing();
    if (isStream(target)) return save(program, target, { ...own, ...options });
    if (options !== undefined) throw noTarget(target);
    return save(program, { ...own, ...target });
  }

  /**
   * Writes several programs as one `.pt2` file that `load_pt2` of PyTorch reads, and returns its
   * bytes (`package_pt2` of `torch.export.pt2_archive`). `torch.export.load` reads the program
   * named `model` of it. Weights that several programs share are stored once. Each program is
   * verified first. Warnings go to the logger unless `onWarning` takes them.
   *
   * @throws SconceError `INVALID_ARGUMENT` for other values than programs, `OPTION_VALUE` for a
   * name that is not a file name, `INVALID_PROGRAM` with the program and every problem, and as
   * {@link save}
   */
  packagePt2(programs: PackagePrograms, options?: PackageOptions): Promise<Uint8Array>;
  /** The same to a web stream, which is closed, or aborted when the writing fails. */
  packagePt2(
    programs: PackagePrograms,
    target: WritableStream<Uint8Array>,
    options?: PackageOptions,
  ): Promise<void>;
  async packagePt2(
    programs: PackagePrograms,
    target?: WritableStream<Uint8Array> | PackageOptions,
    options?: PackageOptions,
  ): Promise<unknown> {
    this.use();
    return packagePrograms(programs, target, options, {
      own: this.#writing(),
      requireValid: (program, name) => this.#requireValid(program, name),
    });
  }

  /** @throws SconceError `INVALID_PROGRAM` with every problem */
  #requireValid(program: ExportedProgram, name?: string): void {
    const problems = this.services.verifier.verify(program);
    if (problems.length === 0) return;
    const error = invalidToSave(problems);
    throw name === undefined ? error : error.at(`program "${name}"`);
  }

  #writing(): Pick<SaveOptions, "operators" | "onWarning"> {
    return { operators: this.operators, onWarning: (message) => this.services.logger.warn(message) };
  }
}
