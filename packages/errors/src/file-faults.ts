/** @file The faults of files that operating systems report, in words. */

/** What is wrong with a path, by the code of the system. */
const FAULTS: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `there is no file or folder ${path}`,
  ENOTDIR: (path) => `a part of ${path} is a file, not a folder`,
  EEXIST: (path) => `${path} is a file, not a folder`,
  EISDIR: (path) => `${path} is a folder, not a file`,
  EACCES: (path) => `${path} may not be opened`,
  EPERM: (path) => `${path} may not be opened`,
  ENOSPC: (path) => `there is no space left to write ${path}`,
  EDQUOT: (path) => `the quota leaves no space to write ${path}`,
  EFBIG: (path) => `${path} would exceed the limit on file sizes`,
  ENAMETOOLONG: (path) => `the file system takes no name as long as ${path}`,
  ESPIPE: (path) => `${path} is a pipe, not a file`,
};

const FIXES: Readonly<Record<string, string>> = {
  EISDIR: "give the path of a file in it",
  ENOSPC: "free some space, or write to another disk",
  EDQUOT: "free some space, or write to another disk",
  EFBIG: "write to another disk, or raise the limit",
  ENAMETOOLONG: "give a shorter name",
  ESPIPE: "give - as the file, and the pipe as standard input",
};

/** Returns the message and the remedy for a file that the system does not open, read or write. */
export function fileFault(path: string, code: string, cause: string): { message: string; fix: string } {
  return {
    message: FAULTS[code]?.(path) ?? `${path}: ${cause}`,
    fix: FIXES[code] ?? "check the path and its permissions",
  };
}

/** `ENOENT` and the like; undefined for errors that the operating system did not raise. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}
