/// <reference types="node" />
/** @file The script of a worker of Node that runs passes of plugins. */
import { workerData } from "node:worker_threads";
import type { Plugin } from "@sconce/passes";
import { createSconce } from "../create-sconce.js";
import { loadPlugin } from "../plugins/plugin-module.js";
import { NO_REQUEST, type PassReply } from "../worker/pass-messages.js";
import { sentError } from "../worker/sent-error.js";
import { serveSession } from "../worker/serve.js";
import { ownPort } from "./own-port-node.js";

const port = ownPort();
const modules = workerData as readonly string[];

const send = (reply: PassReply): void => port.postMessage({ ...reply, id: NO_REQUEST });

send({ kind: "ready" });
try {
  const plugins: Plugin[] = [];
  for (const url of modules) plugins.push(await loadPlugin(url));
  const logger = { warn: (message: string) => send({ kind: "warning", message }) };
  serveSession(createSconce({ plugins, services: { logger } }), port);
} catch (error) {
  send({ kind: "refused", error: sentError(error) });
}
