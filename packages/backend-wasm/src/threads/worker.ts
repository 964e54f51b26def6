/** @file A worker of a page. */
import { hostFunctions } from "../emit/host-functions.js";
import type { LoadFunctions } from "./modules.js";
import { type PoolMessage, servePool } from "./serve.js";

// Bundlers make one file of a worker: it cannot load parts later.
const functions: LoadFunctions = async () => hostFunctions();
const receive = servePool((message) => globalThis.postMessage(message), functions);
globalThis.onmessage = ({ data }: MessageEvent<PoolMessage>) => receive(data);
