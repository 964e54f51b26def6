/** @file A worker of a page. */
import type { LoadFunctions } from "./modules.js";
import { type PoolMessage, servePool } from "./serve.js";

const functions: LoadFunctions = async () => (await import("../emit/host-functions.js")).hostFunctions();
const receive = servePool((message) => globalThis.postMessage(message), functions);
globalThis.onmessage = ({ data }: MessageEvent<PoolMessage>) => receive(data);
