/** @file The page of `sconce report`: no scripts, no other files. */
import { countText, markupText, shellWord } from "@sconce/errors";
import type { NodePlacement, NodeProfile } from "@sconce/ir";
import type { BackendComparison } from "@sconce/session";
import type { Step } from "./history-action.js";

/** What one backend did with the program, or why it could not. */
export type BackendReport =
  | { readonly name: string; readonly error: string }
  | {
      readonly name: string;
      readonly error?: undefined;
      readonly compileMilliseconds: number;
      readonly runMilliseconds: number;
      readonly device: string | undefined;
      /** Calls of the program as prepared for the backend. */
      readonly calls: number | undefined;
      readonly host: readonly NodePlacement[];
      readonly profile: readonly NodeProfile[];
      readonly comparison?: BackendComparison;
    };

/** What the page shows. */
export interface ProgramReport {
  readonly file: string;
  /** The version of Sconce. */
  readonly version: string;
  readonly passes?: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly steps: readonly Step[];
  /** Problems that the verifier found. */
  readonly problems: readonly string[];
  readonly backends: readonly BackendReport[];
  /** The graph as SVG. */
  readonly drawing: string;
}

/** Rows of a table that are shown. */
const MOST_ROWS = 40;

/** Returns the page. */
export function reportHtml(report: ProgramReport): string {
  const { file, version, passes, facts, steps, problems, backends, drawing } = report;
  const made = `sconce report${passes === undefined ? "" : ` --passes ${shellWord(passes)}`}, Sconce ${version}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${markupText(file)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${markupText(file)}</h1>
<p>${markupText(made)}</p>
${table(["", ""], facts)}
<h2>Checks</h2>
${problems.length === 0 ? "<p>The verifier found no problem.</p>" : list(problems)}
${steps.length === 0 ? "" : `<h2>Passes</h2>\n${stepTable(steps)}`}
${backends.map(backendPart).join("\n")}
<h2>Graph</h2>
<div class="drawing" role="region" aria-label="Graph" tabindex="0">
${drawing}</div>
</main>
</body>
</html>
`;
}

const stepTable = (steps: readonly Step[]): string =>
  table(
    ["pass", "nodes", "added", "removed", "changed"],
    steps.map(({ pass, nodes, added, removed, changed }) =>
      [pass, nodes, added, removed, changed].map(String),
    ),
  );

function backendPart(backend: BackendReport): string {
  const title = `<h2>Backend ${markupText(backend.name)}</h2>`;
  if (backend.error !== undefined) return `${title}\n<p class="bad">${markupText(backend.error)}</p>`;
  const { compileMilliseconds, runMilliseconds, device, calls, host, profile, comparison } = backend;
  const times = `compiled in ${compileMilliseconds.toFixed(1)} ms, ran in ${runMilliseconds.toFixed(2)} ms`;
  const place =
    device === undefined || calls === undefined
      ? "The backend has no device: it runs all calls itself."
      : `${device}: ${calls - host.length} of ${countText(calls, "call")} on the device.`;
  return [
    title,
    `<p>${markupText(`${place} It ${times}.`)}</p>`,
    host.length === 0
      ? ""
      : `<h3>Calls on the host</h3>\n${table(
          ["node", "operator", "reason"],
          host.map(({ node, target, reason = "" }) => [node, target, reason]),
        )}`,
    comparison === undefined ? "" : comparisonPart(comparison),
    profilePart(profile),
  ].join("\n");
}

function comparisonPart({ backends, nodes, first }: BackendComparison): string {
  const worst = [...nodes].sort((a, b) => b.maxAbsolute - a.maxAbsolute).slice(0, 10);
  const verdict =
    first === undefined
      ? `<p>${markupText(`Equal to ${backends[0]} within the tolerance at ${countText(nodes.length, "node")}.`)}</p>`
      : `<p class="bad">${markupText(`Differs from ${backends[0]} first at ${first.node} = ${first.target}.`)}</p>`;
  const rows = worst.map(({ node, target, maxAbsolute, maxRelative }) => [
    node,
    target,
    maxAbsolute.toExponential(1),
    maxRelative.toExponential(1),
  ]);
  const head = table(["node", "operator", "max abs", "max rel"], rows);
  return `${verdict}\n<p>${markupText(RULE)}</p>\n<h3>Largest differences</h3>\n${head}`;
}

/** Why a large relative difference can be within the tolerance. */
const RULE =
  "An element differs when |a - b| > atol + rtol * |b|, where b is the element of the first backend: " +
  "atol is 1e-5 and rtol 1e-4, and more for halves. Near zero, the relative difference can be large.";

function profilePart(profile: readonly NodeProfile[]): string {
  const sorted = [...profile].sort((a, b) => b.milliseconds - a.milliseconds);
  const rows = sorted.map(({ node, target, milliseconds }) => [node, target, milliseconds.toFixed(3)]);
  return profile.length === 0 ? "" : `<h3>Times</h3>\n${table(["node", "operator", "ms"], rows)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = (tag: string, row: readonly string[]): string =>
    `<tr>${row.map((text) => `<${tag}>${markupText(text)}</${tag}>`).join("")}</tr>`;
  const more =
    rows.length > MOST_ROWS
      ? `\n<tr><td colspan="${head.length}">and ${rows.length - MOST_ROWS} more</td></tr>`
      : "";
  const titles = head.some((text) => text !== "") ? `${columns("th", head)}\n` : "";
  const shown = rows.slice(0, MOST_ROWS).map((row) => columns("td", row));
  return `<table>\n${titles}${shown.join("\n")}${more}\n</table>`;
}

const list = (items: readonly string[]): string =>
  `<ul class="bad">\n${items.map((item) => `<li>${markupText(item)}</li>`).join("\n")}\n</ul>`;

const STYLE = `
body{font:14px/1.5 system-ui,sans-serif;max-width:1100px;margin:24px auto;padding:0 16px}
table{border-collapse:collapse;font-size:13px}
td,th{border-bottom:1px solid #8886;padding:2px 14px 2px 0;text-align:left;overflow-wrap:anywhere}
.bad{color:#c22}
.drawing{overflow:auto;border:1px solid #8886}
@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}.bad{color:#ff7b72}}
`;
