/** @file A worker of a page. */
import { hostFunctions } from "../emit/host-functions.js";
import { type PoolMessage, servePool } from "./serve.js";

const receive = servePool((message) => globalThis.postMessage(message), hostFunctions());
globalThis.onmessage = ({ data }: MessageEvent<PoolMessage>) => receive(data);
