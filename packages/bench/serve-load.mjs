/**
 * Measures `sconce serve` with autocannon over loopback: the times of requests at 1, 8 and 64
 * connections, with and without batching, beside a bare Fastify handler that reads the same body
 * and returns as many numbers. Each server runs in its own process.
 *
 * `npm run bench:serve -w @sconce/bench [-- --seconds 5] [-- --json]`, after `npm run build`
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import autocannon from "autocannon";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "5" }, json: { type: "boolean", default: false } },
});
const duration = Number(values.seconds);
const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const COMMAND = pathOf("../sconce/bin/sconce.js");
const programOf = (name) => `m=${pathOf(`../testing/fixtures/programs/${name}/program.pt2`)}`;
const serve = (name, ...options) => [
  COMMAND,
  "serve",
  programOf(name),
  "--port",
  "0",
  "--threads",
  "1",
  ...options,
];
const BATCHES = ["--max-batch", "32"];

const bodyOf = (name, shape) => {
  const count = shape.reduce((product, size) => product * size, 1);
  const data = Array.from({ length: count }, (_, i) => (i % 17) / 16);
  return JSON.stringify({ inputs: [{ name, shape, datatype: "FP32", data }] });
};
const DIGITS = bodyOf("image", [1, 1, 8, 8]);
const RESNET = bodyOf("x", [1, 3, 16, 16]);

const SERVERS = [
  ["bare Fastify handler", [pathOf("serve-bare.mjs")], DIGITS],
  ["digits", serve("digits"), DIGITS],
  ["digits, batches of 32", serve("digits", ...BATCHES), DIGITS],
  ["residual network, 16 x 16 pixels", serve("net_resnet"), RESNET],
  ["the same, batches of 32", serve("net_resnet", ...BATCHES), RESNET],
];

/** Starts a server, and returns its address when it is ready. */
async function start(args) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  for await (const data of child.stdout) {
    text += data;
    if (text.includes("ready")) break;
  }
  return { child, address: /http:\/\/[\w.:]+/.exec(text)[0] };
}

/** Sends requests; autocannon's own percentiles are whole milliseconds. */
async function load(options) {
  const times = [];
  const running = autocannon(options);
  running.on("response", (_client, _status, _bytes, time) => times.push(time));
  const { requests, non2xx, errors } = await running;
  times.sort((a, b) => a - b);
  const percentile = (share) => Number(times[Math.floor(share * (times.length - 1))].toFixed(2));
  return {
    p50: percentile(0.5),
    p99: percentile(0.99),
    rate: Math.round(requests.average),
    failed: non2xx + errors,
  };
}

const rows = [];
for (const [name, args, body] of SERVERS) {
  const { child, address } = await start(args);
  const options = {
    url: `${address}/v2/models/m/infer`,
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  };
  // Kernels are compiled for the sizes of the first runs.
  await autocannon({ ...options, connections: 64, duration: 1 });
  for (const connections of [1, 8, 64]) {
    rows.push({ name, connections, ...(await load({ ...options, connections, duration })) });
  }
  child.kill("SIGTERM");
  await once(child, "exit");
}
if (values.json) console.log(JSON.stringify(rows, undefined, 2));
else {
  console.log("| server | connections | p50 | p99 | requests a second |\n| --- | --: | --: | --: | --: |");
  for (const { name, connections, p50, p99, rate, failed } of rows)
    console.log(
      `| ${name} | ${connections} | ${p50} ms | ${p99} ms | ${rate} |${failed === 0 ? "" : ` ${failed} failed`}`,
    );
}
