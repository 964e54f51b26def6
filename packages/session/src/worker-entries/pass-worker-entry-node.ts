/// <reference types="node" />
/** @file The script of a worker of Node that runs passes of plugins. */
import { workerData } from "node:worker_threads";
import { thrownText } from "@sconce/errors";
import type { Plugin } from "@sconce/passes";
import { createSconce } from "../create-sconce.js";
import { badPlugin } from "../plugins/errors.js";
import { NO_REQUEST, type PassReply } from "../worker/pass-messages.js";
import { sentError } from "../worker/sent-error.js";
import { serveSession } from "../worker/serve.js";
import { ownPort } from "./own-port-node.js";

const port = ownPort();
const modules = workerData as readonly string[];

const send = (reply: PassReply): void => port.postMessage({ ...reply, id: NO_REQUEST });

async function loadPlugin(url: string): Promise<Plugin> {
  let module: { readonly default?: unknown; readonly plugin?: unknown };
  try {
    module = (await import(url)) as typeof module;
  } catch (error) {
    const fix = "correct the module or its path";
    throw badPlugin(`the plugin ${url}`, `cannot be loaded: ${thrownText(error)}`, fix, error);
  }
  const plugin = module.default ?? module.plugin;
  if (typeof plugin === "object" && plugin !== null) return plugin as Plugin;
  const fix = "export an object with a `name` as default or as `plugin`";
  throw badPlugin(`the plugin ${url}`, "exports no plugin", fix);
}

send({ kind: "ready" });
try {
  const plugins: Plugin[] = [];
  for (const url of modules) plugins.push(await loadPlugin(url));
  const logger = { warn: (message: string) => send({ kind: "warning", message }) };
  serveSession(createSconce({ plugins, services: { logger } }), port);
} catch (error) {
  send({ kind: "refused", error: sentError(error) });
}
