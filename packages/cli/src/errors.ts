/** @file Every error that the command raises itself. */
import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import {
  didYouMean,
  fileFault,
  SconceError,
  type SconceErrorInit,
  shellWord,
  systemCode,
  thrownText,
} from "@sconce/errors";
import type { OtherFormat } from "@sconce/formats/other-formats";

/** Returns the error when the command was called in a way that it does not take. */
export const usage = (
  message: string,
  fix: string,
  cause?: unknown,
  more: Pick<SconceErrorInit, "edits"> = {},
): SconceError => new SconceError({ code: "USAGE", message, fix, cause, ...more });

/** Returns the error for a file that takes more work than its size allows. */
export const overLimit = (error: SconceError, name: string, limit: number): SconceError =>
  withFix(error, `if you trust the file, raise the limit: --limit ${name}=${10 * limit}`);

/** Returns an error of a reader with a fix for the command, where it lists programs to choose. */
export function otherModel(error: SconceError): SconceError {
  const [, names] = /^give one of these as the option "model": (.*)$/.exec(error.fix) ?? [];
  return names === undefined ? error : withFix(error, `choose a program with --model NAME: ${names}`);
}

/** --model for a file that is not an archive. */
export const modelOfText = (model: string): SconceError =>
  usage(
    `--model ${shellWord(model)} chooses a program of an archive, and the file is text with one program`,
    "leave --model out",
  );

/**
 * Returns the error for a run that takes more memory than there is, or than `--limit memory`
 * allows.
 */
export const outOfMemory = (error: SconceError, maxBytes: number): SconceError =>
  withFix(error, `use smaller inputs, or raise the limit: --limit memory=${10 * maxBytes}`);

const withFix = ({ code, message, where, cause }: SconceError, fix: string): SconceError =>
  new SconceError({ code, message, where, fix, cause });

/** Returns an error as it is shown, with its texts in another form. */
export const withTexts = (
  { code, message, where, fix, edits }: SconceError,
  shown: (text: string) => string,
): SconceError =>
  new SconceError({
    code,
    message: shown(message),
    where: where === undefined ? undefined : shown(where),
    fix: fix && shown(fix),
    edits,
  });

/** Returns the error for what was thrown though nothing should have been. */
export const crash = (error: unknown): SconceError =>
  new SconceError({
    code: "INTERNAL",
    message: error instanceof Error ? (error.stack ?? error.message) : thrownText(error),
    fix: "report this with the program and the command",
    cause: error,
  });

/** Standard output that does not take what is written. */
export const outputFailed = (cause: unknown): SconceError =>
  new SconceError({
    code: "OUTPUT",
    message: `standard output cannot be written: ${OUTPUT_FAULTS[systemCode(cause) ?? ""] ?? thrownText(cause)}`,
    fix: "write to a file, a device or a pipe that takes the output; the output so far is not complete",
    cause,
  });

const OUTPUT_FAULTS: Readonly<Record<string, string>> = {
  ENOSPC: "there is no space left",
  EDQUOT: "the quota of the user is used up",
  EIO: "the device reports an error",
  EBADF: "it is not open for writing",
  EFBIG: "the file would be too large",
};

/**
 * Returns the error for a file that cannot be read or written: the operating system's reason in
 * words.
 */
export function fileError(path: string, cause: unknown): SconceError {
  const code = systemCode(cause) ?? "";
  const { message, fix } = fileFault(path, code, cause instanceof Error ? cause.message : String(cause));
  const near = code === "ENOENT" ? didYouMean(basename(path), filesBeside(path), fix) : fix;
  return new SconceError({ code: "FILE", message, fix: near, cause });
}

/** Returns the names in the folder of a path, for suggestions. */
function filesBeside(path: string): string[] {
  try {
    return readdirSync(dirname(path)).slice(0, MOST_FILES);
  } catch {
    return [];
  }
}

const MOST_FILES = 1000;

/** Returns the error for a text and a file of tensors that were not written together. */
export const otherTensors = (path: string, tensors: string): SconceError =>
  new SconceError({
    code: "TENSORS_MISMATCH",
    message: `the tensors in ${tensors} are not those that ${path} was written with`,
    fix:
      "write both again with `sconce lower`, copy both from one place, or, if the tensors are meant to be others, " +
      "remove the last line of the text",
  });

/** Tensors at the end of a text that are not whole. */
export const tensorsCutOff = (): SconceError =>
  new SconceError({
    code: "TENSORS_MISMATCH",
    message: "the tensors at the end of the IR text are cut off or changed",
    fix: "write the text again with `sconce lower FILE -o -`, and copy all of it",
  });

/** Returns the error for a file that should hold tensors and is of another format. */
export const noTensorFile = ({ name, fix }: OtherFormat): SconceError =>
  new SconceError({ code: "OTHER_FORMAT", message: `not a safetensors file: it is ${name}`, fix });

/** IR text declares tensors, and the file that should hold them cannot be read. */
export function noTensors(path: string, cause: unknown): SconceError {
  const { code, message } = fileError(path, cause);
  const fix = "put the file of tensors beside the text, or give the values with --weights FILE.safetensors";
  return new SconceError({ code, message, fix, cause });
}

/** Returns the error for a plugin module that cannot be loaded, or exports no plugin. */
export const pluginError = (path: string, why: string, fix: string, cause?: unknown): SconceError =>
  new SconceError({ code: "PLUGIN", message: `the plugin ${path} ${why}`, fix, cause });

/**
 * Returns the error for a module of a model that cannot be loaded, or does not say what to export.
 */
export const modelError = (path: string, why: string, fix: string, cause?: unknown): SconceError =>
  new SconceError({ code: "MODEL_MODULE", message: `the module ${path} ${why}`, fix, cause });

/** Returns the error for a reproducer of a version that this Sconce does not have. */
export const otherReproducerVersion = (version: string): SconceError =>
  new SconceError({
    code: "FORMAT_VERSION",
    message: `a reproducer of version ${version} cannot be read; this Sconce reads version 1`,
    where: "line 1",
    fix: "update Sconce, or write it again with `sconce bisect ... -o FILE`",
  });

/** Returns the error for a reproducer that cannot be read. */
export const malformed = (why: string, cause?: unknown): SconceError =>
  new SconceError({
    code: "REPRODUCER",
    message: `the reproducer ${why}`,
    fix: "write it again with `sconce bisect ... -o FILE`",
    cause,
  });
