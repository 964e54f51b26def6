/** @file The engine of the studio, for pages and tests: the page itself is a bundle. */
export { EngineClient, RequestError, type RequestOptions } from "./engine/client.js";
export { Engine } from "./engine/engine.js";
export type { FromEngine, ToEngine } from "./engine/messages.js";
export type * from "./engine/protocol.js";
export { serveEngine } from "./engine/serve.js";
