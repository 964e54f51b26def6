/** @file Packages that a user installs beside Sconce. */
import { packageMissing } from "../protocol/errors.js";

/**
 * Loads a package. What fails in an installed package is thrown as it is.
 *
 * @throws SconceError `SERVE_PACKAGE` where it is not installed
 */
export async function loaded<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw isMissing(name, error) ? packageMissing(name, error) : error;
  }
}

/** Returns whether Node found no package of this name: another one may miss its own. */
function isMissing(name: string, error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return code === "ERR_MODULE_NOT_FOUND" && String(message).startsWith(`Cannot find package '${name}' `);
}
