/** @file Every error that the command raises itself. */
import { SconceError } from "@sconce/errors";

/** The command was called in a way that it does not take. */
export const usage = (message: string, fix: string, cause?: unknown): SconceError =>
  new SconceError({ code: "USAGE", message, fix, cause });

const FILE_FAULTS: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `there is no file or folder ${path}`,
  ENOTDIR: (path) => `a part of ${path} is a file, not a folder`,
  EEXIST: (path) => `${path} is a file, not a folder`,
  EISDIR: (path) => `${path} is a folder, not a file`,
  EACCES: (path) => `${path} may not be opened`,
  EPERM: (path) => `${path} may not be opened`,
  ENOSPC: (path) => `there is no space left to write ${path}`,
};

/** A file that cannot be read or written: the operating system's reason in words. */
export function fileError(path: string, cause: unknown): SconceError {
  const code = systemCode(cause) ?? "";
  const message =
    FILE_FAULTS[code]?.(path) ?? `${path}: ${cause instanceof Error ? cause.message : String(cause)}`;
  return new SconceError({ code: "FILE", message, fix: "check the path and its permissions", cause });
}

/** IR text declares tensors, and the file that should hold them cannot be read. */
export function noTensors(path: string, cause: unknown): SconceError {
  const { code, message } = fileError(path, cause);
  const fix = "put the file of tensors beside the text, or give the values with --weights FILE.safetensors";
  return new SconceError({ code, message, fix, cause });
}

/** A folder to write to that does not exist. */
export const noFolder = (path: string, cause: unknown): SconceError =>
  new SconceError({
    code: "FILE",
    message: `there is no folder ${path}`,
    fix: "make the folder first, or write to another one",
    cause,
  });

/** A path to write to that holds something else than a file. */
export const notAFile = (path: string, isFolder: boolean): SconceError =>
  new SconceError({
    code: "FILE",
    message: isFolder ? `${path} is a folder, not a file` : `${path} is a device or a pipe, not a file`,
    fix: "give the path of a file; nothing was written",
  });

/** `ENOENT` and the like; undefined for errors that the operating system did not raise. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/** A plugin module that cannot be loaded, or exports no plugin. */
export const pluginError = (path: string, why: string, fix: string, cause?: unknown): SconceError =>
  new SconceError({ code: "PLUGIN", message: `the plugin ${path} ${why}`, fix, cause });

/** A reproducer that cannot be read. */
export const malformed = (why: string, cause?: unknown): SconceError =>
  new SconceError({
    code: "REPRODUCER",
    message: `the reproducer ${why}`,
    fix: "write it again with `sconce bisect ... -o FILE`",
    cause,
  });
