/** @file Packages that a user installs beside Sconce. */
import { packageMissing } from "../protocol/errors.js";

/** Loads a package. @throws SconceError `SERVE_PACKAGE` where it is not installed */
export async function loaded<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw packageMissing(name, error);
  }
}
