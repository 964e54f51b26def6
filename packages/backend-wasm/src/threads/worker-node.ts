/// <reference types="node" />
/** @file A worker of Node. */
import { parentPort } from "node:worker_threads";
import type { LoadFunctions } from "./modules.js";
import { type PoolMessage, servePool } from "./serve.js";

const functions: LoadFunctions = async () => (await import("../emit/host-functions.js")).hostFunctions();
const receive = servePool((message) => parentPort?.postMessage(message), functions);
parentPort?.on("message", (message: PoolMessage) => receive(message));
