/**
 * @file `npm run bench [-- --json] [--pt2 FILE]`: graph work, capture, loading and running, beside
 * the peers' figures.
 */
import { readFileSync } from "node:fs";
import { readArguments } from "./arguments.js";
import { table } from "./measure.js";
import { captureRows } from "./rows-capture.js";
import { graphRows } from "./rows-graph.js";
import { historyRows } from "./rows-history.js";
import { loadRows } from "./rows-load.js";

const USAGE = `usage: npm run bench [-- --json] [--pt2 FILE]
  --json  for machines
  --pt2   also load and run this program on its sample inputs`;

const values = readArguments(
  {
    json: { type: "boolean", default: false },
    pt2: { type: "string" },
    help: { type: "boolean", default: false },
  },
  USAGE,
);
if (values.help) {
  console.log(USAGE);
} else {
  const rows = [
    ...(await graphRows()),
    ...(await historyRows()),
    ...(await captureRows()),
    ...(await loadRows(values.pt2 === undefined ? undefined : readFileSync(values.pt2))),
  ];
  console.log(values.json ? JSON.stringify(rows, null, 2) : table(rows));
  if (!values.json)
    console.log(
      "\nthe least of several runs on this machine; peers' figures from one machine (2 cores of a Zen 4 at 3.65 GHz), so compare ratios",
    );
}
