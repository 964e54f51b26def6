/** @file The addresses of the server. */
import type { Socket } from "node:net";
import { isSconceError, type SconceError, VERSION } from "@sconce/errors";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callOf, outputsOf } from "../model/call.js";
import type { Catalog } from "../model/catalog.js";
import { type Model, metadataOf } from "../model/model.js";
import type { Scheduler } from "../pool/scheduler.js";
import {
  badRequest,
  bodyTooLarge,
  hostRefused,
  internal,
  notReady,
  requestTooSlow,
  statusOf,
  tooBusy,
  unknownMedia,
  unknownPath,
} from "../protocol/errors.js";
import { readRequest } from "../protocol/request.js";
import { writeResponse } from "../protocol/response.js";
import type { Settings } from "../settings/options.js";
import { isAllowedHost } from "./host-check.js";
import type { Metrics } from "./metrics.js";
import { openApi } from "./openapi.js";
import { loaded } from "./packages.js";
import type { PendingBytes } from "./pending-bytes.js";

/** What the addresses need. */
export interface AppParts {
  readonly settings: Settings;
  readonly catalog: Catalog;
  readonly scheduler: Scheduler;
  readonly metrics: Metrics;
  readonly pending: PendingBytes;
  /** What the server does at the moment. */
  readonly state: { isReady: boolean; isStopping: boolean };
}

/** Milliseconds between looks for requests that take too long to arrive. */
const LOOK_EVERY = 500;
/** Milliseconds after which a connection without a request is closed. */
const KEEP_ALIVE = 72_000;
/** Longest name in an address. */
const LONGEST_NAME = 200;

/** The model of a request, for metrics and logs. */
const models = new WeakMap<FastifyRequest, Model>();

/** Returns the server without a port. @throws SconceError `SERVE_PACKAGE` */
export async function createApp(parts: AppParts): Promise<FastifyInstance> {
  const { settings, catalog, metrics } = parts;
  const { fastify } = await loaded("fastify", () => import("fastify"));
  const app = fastify({
    logger: false,
    bodyLimit: settings.maxBody,
    requestTimeout: settings.requestTimeout,
    // Without a byte in either direction: a client may read no answer.
    connectionTimeout: settings.requestTimeout + 2 * settings.timeout,
    keepAliveTimeout: KEEP_ALIVE,
    http: { headersTimeout: settings.requestTimeout, connectionsCheckingInterval: LOOK_EVERY },
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: LONGEST_NAME },
    clientErrorHandler: (error, socket) => answerRaw(error, socket, settings),
    frameworkErrors: (error, request, reply) =>
      sendError(badRequest(error.message, "correct the address"), request, reply, parts),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ["application/json", "application/octet-stream"],
    { parseAs: "buffer" },
    (_, body, done) => done(null, body),
  );
  app.addHook("onRequest", (request, reply, done) => done(admit(request, reply, parts)));
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (parts.state.isStopping) reply.header("connection", "close");
    done();
  });
  app.setErrorHandler((error: FastifyError, request, reply) => sendError(error, request, reply, parts));
  app.setNotFoundHandler((request, reply) =>
    sendError(unknownPath(request.method, request.url), request, reply, parts),
  );
  addInformation(app, parts);
  for (const path of ["/v2/models/:model", "/v2/models/:model/versions/:version"]) addModel(app, path, parts);
  const document = openApi(catalog);
  app.get("/openapi.json", () => document);
  app.get("/metrics", async (_, reply) => reply.type(metrics.contentType).send(await metrics.text()));
  return app;
}

/** Looks at a request before its body is read; returns why it is refused. */
function admit(request: FastifyRequest, reply: FastifyReply, parts: AppParts): Error | undefined {
  const { settings, pending, metrics } = parts;
  const { headers } = request;
  const start = performance.now();
  const declared =
    headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : settings.maxBody;
  const release = pending.take(Math.min(Number.isNaN(declared) ? 0 : declared, settings.maxBody));
  reply.raw.once("close", () => {
    release?.();
    const milliseconds = performance.now() - start;
    // The client left: nothing reads the status. 499 is what nginx logs.
    const status = reply.raw.writableFinished ? reply.statusCode : 499;
    metrics.request(models.get(request), status, milliseconds / 1000);
    if (settings.reportRequests)
      settings.onEvent({ kind: "request", method: request.method, path: request.url, status, milliseconds });
  });
  if (!isAllowedHost(headers.host, settings.host, settings.allowHosts))
    return hostRefused(headers.host ?? "");
  // Clients of Triton and KServe name no content type. Pages may not leave it out: browsers would
  // send their requests without asking the server.
  if (headers["content-type"] === undefined && headers.origin === undefined)
    headers["content-type"] = "application/octet-stream";
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity")
    return unknownMedia(`the content encoding ${encoding}`);
  if (release === undefined) return tooBusy(`${pending.bytes} bytes of requests are read or wait`);
  return undefined;
}

/** The addresses about the server itself. */
function addInformation(app: FastifyInstance, { catalog, state }: AppParts): void {
  app.get("/v2", () => ({ name: "sconce", version: VERSION, extensions: ["binary_tensor_data"] }));
  app.get("/v2/health/live", () => ({ live: true }));
  app.get("/v2/health/ready", (_, reply) => {
    const ready = state.isReady && !state.isStopping;
    return reply.code(ready ? 200 : 503).send({ live: true, ready });
  });
  app.get("/v2/models", () => ({ models: [...new Set(catalog.all.map(({ name }) => name))] }));
}

/** The addresses of a model, with a version or without. */
function addModel(app: FastifyInstance, path: string, parts: AppParts): void {
  const { catalog, state } = parts;
  const modelOf = (request: FastifyRequest): Model => {
    const { model, version } = request.params as { readonly model: string; readonly version?: string };
    const found = catalog.find(model, version);
    models.set(request, found);
    return found;
  };
  app.get(path, (request) => {
    const model = modelOf(request);
    return metadataOf(model, catalog.versions(model.name));
  });
  app.get(`${path}/ready`, (request, reply) => {
    const { name } = modelOf(request);
    const ready = state.isReady && !state.isStopping;
    return reply.code(ready ? 200 : 503).send({ name, ready });
  });
  app.post(`${path}/infer`, (request, reply) => infer(modelOf(request), request, reply, parts));
}

async function infer(
  model: Model,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: AppParts,
): Promise<FastifyReply> {
  const { settings, scheduler, metrics, state, catalog } = parts;
  if (!state.isReady) throw notReady("loads its programs");
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const length = request.headers["inference-header-content-length"];
  const asked = readRequest(body, typeof length === "string" ? length : undefined, {
    depth: settings.maxDepth,
  });
  const { result, cancel } = scheduler.submit(catalog.numberOf(model), callOf(asked, model));
  reply.raw.once("close", cancel);
  const { outputs, waited } = await result;
  metrics.waited(model, waited / 1000);
  const { body: bytes, headerLength } = writeResponse(model, asked.id, outputsOf(outputs, asked, model));
  if (headerLength === undefined) return reply.type("application/json").send(bytes);
  return reply
    .type("application/octet-stream")
    .header("inference-header-content-length", headerLength)
    .send(bytes);
}

/** Returns an error of Fastify as one of Sconce. */
function knownError(
  error: FastifyError | SconceError | Error,
  request: FastifyRequest,
  { maxBody }: Settings,
): SconceError {
  if (isSconceError(error)) return error;
  const { code, statusCode = 500, message } = error as Partial<FastifyError>;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") return bodyTooLarge(maxBody);
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return unknownMedia(`the content type ${request.headers["content-type"] ?? "(none)"}`);
  return statusCode < 500
    ? badRequest(message ?? "the request cannot be read", "send the body that Content-Length says")
    : internal(error);
}

function sendError(
  given: FastifyError | SconceError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: AppParts,
): void {
  const { settings, scheduler } = parts;
  const error = knownError(given, request, settings);
  const status = statusOf(error);
  if (status >= 500) settings.onEvent({ kind: "failed", path: request.url, error });
  if (status === 429 || status === 503) reply.header("retry-after", scheduler.retryAfter());
  // What is left of the body is not read.
  if (status === 413 || status === 429) reply.header("connection", "close");
  void reply
    .code(status)
    .type("application/json")
    // Fastify adds a charset to strings, and the client of KServe then finds no message.
    .send(Buffer.from(errorBody(error, models.get(request))));
}

/** Returns an error as the protocol has it: its text, and parts for programs. */
function errorBody({ code, message, where, fix }: SconceError, model?: Model): string {
  const place = where === undefined ? "" : ` (at ${where})`;
  // Guards give their place as `inputs: x.size()[0] is 3`.
  const isOf = (name: string): boolean => where === name || where?.startsWith(`inputs: ${name}.`) === true;
  const input = model?.inputs.find(({ name, otherName }) => isOf(name) || isOf(otherName))?.name;
  const parts = { ...(input !== undefined && { input }), ...(where !== undefined && { where }), fix };
  return JSON.stringify({ error: `${code}: ${message}${place}; ${fix}`, code, ...parts });
}

/** Answers what is not a request of HTTP, or does not arrive in time. */
function answerRaw(
  error: Error & { readonly code?: string },
  socket: Socket,
  { requestTimeout }: Settings,
): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const isSlow = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  const known = isSlow
    ? requestTooSlow(requestTimeout)
    : badRequest("this is not a request of HTTP", "send a request of HTTP/1.1");
  const [status, words] = isSlow ? [408, "Request Timeout"] : [400, "Bad Request"];
  const body = errorBody(known);
  const head = `HTTP/1.1 ${status} ${words}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`;
  if (socket.writable) socket.write(head + body);
  socket.destroySoon();
}
