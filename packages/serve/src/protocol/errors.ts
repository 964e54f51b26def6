/** @file Every error that the server raises itself, and the HTTP status of each. */
import { didYouMean, SconceError, type SconceErrorInit, thrownText } from "@sconce/errors";

/** Returns the error for a package that a user installs beside Sconce. */
export const packageMissing = (name: string, cause: unknown): SconceError =>
  new SconceError({
    code: "SERVE_PACKAGE",
    message: `the package ${name} is not installed, and the server needs it`,
    fix: "run npm install fastify prom-client",
    cause,
  });

/** Returns the error for a program that cannot be served, or whose name cannot be used. */
export const notServable = (model: string, why: string, fix: string): SconceError =>
  new SconceError({ code: "SERVE_MODEL", message: `${model} ${why}`, fix });

/** Returns the error for an address that cannot be listened on. */
export const notListening = (address: string, cause: unknown): SconceError =>
  new SconceError({
    code: "SERVE_ADDRESS",
    message: `the server cannot listen on ${address}: ${thrownText(cause)}`,
    fix: "choose another port or host",
    cause,
  });

/** Returns the error for a worker that ended while it computed. */
export const workerLost = (why: string): SconceError =>
  new SconceError({
    code: "SERVE_WORKER",
    message: `the worker that computed the request ended: ${why}`,
    fix: "send the request again; if it happens again, look at the log of the server for its memory",
  });

/**
 * Returns the error for a request that does not follow the protocol, or does not fit the program.
 */
export const badRequest = (
  message: string,
  fix: string,
  more: Pick<SconceErrorInit, "where" | "cause"> = {},
): SconceError => new SconceError({ code: "INFERENCE_REQUEST", message, fix, ...more });

/** Returns the error for a name or a version that the server does not have. */
export function unknownModel(
  name: string,
  version: string | undefined,
  known: readonly string[],
): SconceError {
  const asked = version === undefined ? name : `${name} version ${version}`;
  const wanted = version ?? name;
  return new SconceError({
    code: "MODEL_UNKNOWN",
    message: `the server has no model ${JSON.stringify(asked)}`,
    fix: didYouMean(wanted, known, `use one of: ${known.slice(0, 20).join(", ")}`),
  });
}

/** Returns the error for an address that means nothing to the server. */
export const unknownPath = (method: string, path: string): SconceError =>
  new SconceError({
    code: "SERVE_PATH",
    message: `${method} ${path.slice(0, 200)} is not an address of the Open Inference Protocol`,
    fix: "read the addresses in /openapi.json, for example POST /v2/models/NAME/infer",
  });

/** Returns the error for a body in another form than the server reads. */
export const unknownMedia = (what: string): SconceError =>
  new SconceError({
    code: "REQUEST_MEDIA",
    message: `the server does not read ${what.slice(0, 200)}`,
    fix: "send application/json, or application/octet-stream with Inference-Header-Content-Length, without a content encoding",
  });

/** Returns the error for a body over the limit. */
export const bodyTooLarge = (limit: number): SconceError =>
  new SconceError({
    code: "REQUEST_TOO_LARGE",
    message: `the body has more than ${limit} bytes, the limit of the server`,
    fix: "send fewer rows, send tensors as binary data, or start the server with a larger --max-body",
  });

/** Returns the error for a request that came too slowly. */
export const requestTooSlow = (milliseconds: number): SconceError =>
  new SconceError({
    code: "REQUEST_TIMEOUT",
    message: `the request took longer than ${milliseconds} ms to arrive`,
    fix: "send it faster, or start the server with a larger --request-timeout",
  });

/** Returns the error for results that did not come in time. */
export const tooLong = (milliseconds: number): SconceError =>
  new SconceError({
    code: "INFERENCE_TIMEOUT",
    message: `the results took longer than ${milliseconds} ms`,
    fix: "send fewer rows, or start the server with more --workers or a larger --timeout",
  });

/** Returns the error for a server that is at its limit. */
export const tooBusy = (what: string): SconceError =>
  new SconceError({
    code: "SERVER_BUSY",
    message: `the server is at its limit: ${what}`,
    fix: "send the request again after the time in Retry-After, or start more servers",
  });

/** Returns the error for a server that loads its programs, or that is stopping. */
export const notReady = (why: string): SconceError =>
  new SconceError({
    code: "SERVER_NOT_READY",
    message: `the server ${why}`,
    fix: "send the request to another server, or later to this one",
  });

/** Returns the error for a name of the server that it was not given. */
export const hostRefused = (host: string): SconceError =>
  new SconceError({
    code: "SERVE_HOST",
    message: `the server listens for this machine alone and does not answer to the name ${JSON.stringify(host.slice(0, 100))}`,
    fix: "use localhost, or start the server with --allow-host NAME",
  });

/** Returns the error for a failure that is not the client's. */
export const internal = (cause: unknown): SconceError =>
  new SconceError({
    code: "SERVE_FAILED",
    message: "the server failed on this request; its log has the reason",
    fix: "report this with the program and the log of the server",
    cause,
  });

const STATUS: Readonly<Record<string, number>> = {
  INFERENCE_REQUEST: 400,
  MODEL_UNKNOWN: 404,
  SERVE_PATH: 404,
  SERVE_HOST: 403,
  REQUEST_MEDIA: 415,
  REQUEST_TOO_LARGE: 413,
  REQUEST_TIMEOUT: 408,
  INFERENCE_TIMEOUT: 504,
  SERVER_BUSY: 429,
  SERVER_NOT_READY: 503,
  SERVE_WORKER: 503,
};

/** Failures of runs that follow from the values or the sizes of the inputs. */
const OF_VALUES: ReadonlySet<string> = new Set([
  ...["GUARD_FAILED", "ASSERTION_FAILED", "INDEX_OUT_OF_RANGE", "DIVISION_BY_ZERO", "OUT_OF_STORAGE"],
  ...["OUT_OF_MEMORY", "SHAPE_MISMATCH", "INVALID_ARGUMENT", "DIM_OUT_OF_RANGE", "VALUE_RANGE", "LOOP_LIMIT"],
]);

/** Returns the HTTP status of an error. */
export const statusOf = ({ code }: SconceError): number =>
  STATUS[code] ?? (code.startsWith("INPUT_") || OF_VALUES.has(code) ? 400 : 500);
