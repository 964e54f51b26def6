/** @file A worker of a page. */
import { IMPORTED_FUNCTIONS } from "../emit/imported-functions.js";
import { type PoolMessage, servePool } from "./serve.js";

const receive = servePool((message) => globalThis.postMessage(message), IMPORTED_FUNCTIONS);
globalThis.onmessage = ({ data }: MessageEvent<PoolMessage>) => receive(data);
