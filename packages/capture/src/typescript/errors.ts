/** @file Errors of programs that cannot be written as TypeScript. */
import { SconceError } from "@sconce/errors";

/** Returns the error for a part of a program that the functional API has no way to write. */
export const notWritable = (what: string, where: string, fix: string): SconceError =>
  new SconceError({ code: "NO_TYPESCRIPT", message: `${what} cannot be written as TypeScript`, where, fix });
