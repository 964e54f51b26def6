/// <reference lib="webworker" preserve="true" />
/** @file The worker of the page: opens programs, runs passes and backends. */
import type { ToEngine } from "../engine/messages.js";
import { serveEngine } from "../engine/serve.js";

const answer = serveEngine((message) => self.postMessage(message));
self.addEventListener("message", ({ data }: MessageEvent<ToEngine>) => answer(data));
