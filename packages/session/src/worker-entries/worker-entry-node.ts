/// <reference types="node" />
/** @file The script of a worker of Node that runs a backend of Sconce's packages. */
import { parentPort, workerData } from "node:worker_threads";
import { loadBackend } from "../backends/load-backend.js";
import { createSconce } from "../create-sconce.js";
import { serveSession } from "../worker/serve.js";

const backend = await loadBackend(workerData as string);
serveSession(createSconce({ services: { backends: [backend] } }), parentPort!);
