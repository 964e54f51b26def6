/// <reference types="node" />
/** @file A worker of Node. */
import { parentPort } from "node:worker_threads";
import { IMPORTED_FUNCTIONS } from "../emit/imported-functions.js";
import { type PoolMessage, servePool } from "./serve.js";

const receive = servePool((message) => parentPort?.postMessage(message), IMPORTED_FUNCTIONS);
parentPort?.on("message", (message: PoolMessage) => receive(message));
