/** @file Errors of reading over HTTP; they are loaded with it. */
import { inNode, SconceError } from "@sconce/errors";

/** More bytes than the engine has memory for, in one tensor. */
export const sourceMemory = (length: number, cause: unknown): SconceError =>
  new SconceError({
    code: "SOURCE_TOO_LARGE",
    message: `there is no memory for ${length} bytes of the file`,
    fix: 'read fewer tensors at once, with `weights: "lazy"`',
    cause,
  });

/** Returns the error for an address that cannot be read over HTTP. */
export const httpUrl = (url: string): SconceError =>
  new SconceError({
    code: "HTTP_URL",
    message: `${JSON.stringify(url.slice(0, 200))} is not the address of a file on a server`,
    fix: `give an address with http: or https:${inNode("; for a path use openPt2File of sconce/node")}`,
  });

/** Returns the error for a response that is neither the range that was asked for nor the file. */
export const httpStatus = (status: number, url: string): SconceError =>
  new SconceError({
    code: "HTTP_STATUS",
    message: `the server answered with the status ${status}`,
    where: url,
    fix:
      status === 401 || status === 403
        ? "set the credentials of the server in `headers`, or correct the address"
        : status === 404 || status === 410
          ? "correct the address"
          : "try again later, or ask the operator of the server",
  });

/** Returns the error for a server that serves ranges wrongly, or not at all. */
export const httpRange = (fault: string, url: string): SconceError =>
  new SconceError({
    code: "HTTP_RANGE",
    message: `the file cannot be read by ranges: ${fault}`,
    where: url === "" ? undefined : url,
    fix: "let the server answer `Range` with 206 and `Content-Range` (other origins: with `Access-Control-Expose-Headers: Content-Range, ETag`), or load the whole file: `load((await fetch(url)).body)`",
  });

/** Another file than the one that was opened. */
export const httpChanged = (what: string, url: string): SconceError =>
  new SconceError({
    code: "SOURCE_CHANGED",
    message: `the file on the server changed while it was read: ${what}`,
    where: url,
    fix: "open it again, and load the program from the new file",
  });

/** Returns the error for a request without a response. */
export const httpFailed = (reason: string, url: string, cause: unknown): SconceError =>
  new SconceError({
    code: "SOURCE_FAILED",
    message: `the source cannot be read: ${reason}`,
    where: url,
    fix: "check the address and the network; a server of another origin must allow the request (CORS)",
    cause,
  });
