/// <reference types="node" />
/** @file A worker of Node. */
import { parentPort } from "node:worker_threads";
import { hostFunctions } from "../emit/host-functions.js";
import { type PoolMessage, servePool } from "./serve.js";

const receive = servePool((message) => parentPort?.postMessage(message), hostFunctions());
parentPort?.on("message", (message: PoolMessage) => receive(message));
