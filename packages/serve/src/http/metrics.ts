/** @file Metrics of a server, in the text format of Prometheus. */
import type { Registry } from "prom-client";
import type { Model } from "../model/model.js";
import { loaded } from "./packages.js";

/** What the metrics read when they are asked for. */
export interface MetricSources {
  /** Requests that wait for a worker. */
  readonly waiting: () => number;
  /** Workers that compute. */
  readonly busy: () => number;
  /** Bytes of bodies that are read or waiting. */
  readonly pendingBytes: () => number;
}

/** Counts what the server does. */
export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  /** One request; `model` is undefined for other addresses and unknown models. */
  request(model: Model | undefined, status: number, seconds: number): void;
  /** One run for some requests. */
  run(model: Model, requests: number, rows: number, seconds: number): void;
  /** A run of several requests that became one run for each. */
  split(model: Model): void;
  /** The time of one request in the queue. */
  waited(model: Model, seconds: number): void;
  workerLost(): void;
  close(): void;
}

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const COUNTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const MODEL = ["model", "version"] as const;

/**
 * Returns the metrics of a server, with their own registry. @throws SconceError `SERVE_PACKAGE`
 */
export async function createMetrics(sources: MetricSources): Promise<Metrics> {
  const client = await loaded("prom-client", () => import("prom-client"));
  const register: Registry = new client.Registry();
  const registers = [register];
  const histogram = (name: string, help: string, buckets: number[]) =>
    new client.Histogram({ name, help, buckets, labelNames: MODEL, registers });
  client.collectDefaultMetrics({ register });
  const requests = new client.Counter({
    name: "sconce_requests_total",
    help: "Requests by model, version and HTTP status; the model is empty for other addresses",
    labelNames: [...MODEL, "status"] as const,
    registers,
  });
  const times = histogram(
    "sconce_request_seconds",
    "Seconds from the first byte of a request to the last of its response",
    SECONDS,
  );
  const waits = histogram("sconce_queue_seconds", "Seconds of a request in the queue", SECONDS);
  const runs = histogram("sconce_run_seconds", "Seconds of a run, which may serve several requests", SECONDS);
  const rowCounts = histogram("sconce_run_rows", "Rows of a run", COUNTS);
  const merged = histogram("sconce_run_requests", "Requests that a run serves", COUNTS);
  const splits = new client.Counter({
    name: "sconce_split_runs_total",
    help: "Runs of several requests that failed or did not fit, and whose requests ran one by one",
    labelNames: MODEL,
    registers,
  });
  const lost = new client.Counter({
    name: "sconce_workers_lost_total",
    help: "Workers that ended and were started again",
    registers,
  });
  addGauges(client, registers, sources);
  const labels = ({ name, version }: Model): { model: string; version: string } => ({ model: name, version });
  return {
    contentType: register.contentType,
    text: () => register.metrics(),
    request: (model, status, seconds) => {
      const own = model === undefined ? { model: "", version: "" } : labels(model);
      requests.inc({ ...own, status: String(status) });
      if (model !== undefined) times.observe(own, seconds);
    },
    run: (model, count, rows, seconds) => {
      runs.observe(labels(model), seconds);
      merged.observe(labels(model), count);
      rowCounts.observe(labels(model), rows);
    },
    split: (model) => splits.inc(labels(model)),
    waited: (model, seconds) => waits.observe(labels(model), seconds),
    workerLost: () => lost.inc(),
    close: () => register.clear(),
  };
}

/** Adds what is read when the metrics are asked for. */
function addGauges(
  client: typeof import("prom-client"),
  registers: Registry[],
  { waiting, busy, pendingBytes }: MetricSources,
): void {
  const gauge = (name: string, help: string, read: () => number): void =>
    void new client.Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge("sconce_queue_length", "Requests that wait for a worker", waiting);
  gauge("sconce_workers_busy", "Workers that compute", busy);
  gauge("sconce_pending_bytes", "Bytes of bodies that are read or waiting", pendingBytes);
}
