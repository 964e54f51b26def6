/** @file The errors of the studio. */
import { SconceError } from "@sconce/errors";

/** Returns the error for a version that the engine does not hold. */
export const unknownVersion = (id: number, count: number): SconceError =>
  new SconceError({
    code: "STUDIO_VERSION",
    message: `there is no version ${id}: ${count === 0 ? "nothing is open" : `the versions are 0 to ${count - 1}`}`,
    fix: "open a program, and give the number of a version that the engine returned",
  });

/** Returns the error for a worker of the page that ended. */
export const engineLost = (reason: string): SconceError =>
  new SconceError({
    code: "STUDIO_ENGINE",
    message: `the worker of the page ended: ${reason}`,
    fix: "reload the page, and open the program again",
  });

/** Returns the error when the files of the page are not there. */
export const notBuilt = (): SconceError =>
  new SconceError({
    code: "STUDIO_PAGE",
    message: "the page of the studio is not built",
    fix: "run `npm run bundle -w @sconce/studio` in the repository, or install the package @sconce/studio again",
  });

/** Code of the playground without anything to run. */
export const noPlugin = (): SconceError =>
  new SconceError({
    code: "STUDIO_MODULE",
    message: "the code exports nothing that can run",
    fix: "export a plugin with `passes`, `rules` or `decompositions` as default, or `model` and `args`",
  });

/** Passes of the playground without a program. */
export const noProgram = (): SconceError =>
  new SconceError({
    code: "STUDIO_MODULE",
    message: "the passes have no program to run on",
    fix: "open a program first, or export `model` and `args`, which make one",
  });

/** Returns the error for a request that the policy of the page forbids. */
export const forbiddenByPolicy = (address: string, directive: string, cause: unknown): SconceError =>
  new SconceError({
    code: "STUDIO_POLICY",
    message: `the content policy of this page does not allow requests to ${address}`,
    fix: `save the file, and open it with “Open file”; or allow the server in ${directive}, for example by \`sconce view FILE --connect ${originOf(address)}\``,
    cause,
  });

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : "https://example.org";
}

/** Tensors at the end of a text that are not those that were written. */
export const tensorsCutOff = (): SconceError =>
  new SconceError({
    code: "TENSORS_MISMATCH",
    message: "the tensors at the end of the text are cut off or changed",
    fix: "write the text again, and copy all of it",
  });

/** Returns the error for a page without the functions of cryptography. */
export const withoutDigests = (): SconceError =>
  new SconceError({
    code: "STUDIO_DIGEST",
    message: "the browser computes no checksums here: the page comes over HTTP from another machine",
    fix: "open the page over HTTPS or from this machine, or use .pt2 files",
  });
