import { SconceError, thrownText } from "@sconce/errors";

/** Operator cases for a backend that they do not run on. */
export const notTheInterpreter = (backend: string): SconceError =>
  new SconceError({
    code: "UNKNOWN_BACKEND",
    message: `operator cases run on the backend "cpu", not on "${backend}"`,
    fix: "leave --backend out, or check programs with --programs",
  });

/** A path that holds no operator cases. */
export const noCases = (name: string, cause: unknown): SconceError =>
  new SconceError({
    code: "CASE_FILE",
    message: `${name} holds no operator cases: ${thrownText(cause)}`,
    fix: "give a folder of NAME.OVERLOAD.safetensors, one such file, or a zip of them",
    cause,
  });

/** A file of cases that cannot be read. */
export const badCaseFile = (message: string): SconceError =>
  new SconceError({ code: "CASE_FILE", message, fix: "write the file again with the scripts of the oracle" });

/** The command was called in a way that it does not take. */
export const badUsage = (code: string, message: string, fix?: string): SconceError =>
  new SconceError({ code, message, fix });
