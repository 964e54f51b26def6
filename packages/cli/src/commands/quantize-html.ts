/** @file The page of `sconce quantize --report`: no scripts, no other files. */
import { amount, markupText } from "@sconce/errors";
import { type CostReport, decibels, layerFacts, percent, weightFacts } from "./quantize-texts.js";

/** What the page shows. */
export interface QuantizePage {
  readonly file: string;
  /** The version of Sconce. */
  readonly version: string;
  /** What the program ran on. */
  readonly source: string;
  readonly maxError: number | undefined;
  readonly report: CostReport;
}

/** Returns the page. */
export function quantizeHtml({ file, version, source, maxError, report }: QuantizePage): string {
  const { weights, floats, bytes, outputs, error, layers } = report;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${markupText(`Quantization of ${file}`)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${markupText(`Quantization of ${file}`)}</h1>
<p>${markupText(`sconce quantize, Sconce ${version}. Measured on ${source}.`)}</p>
${table(
  ["", ""],
  [
    ["weights before", amount(bytes.before, "B")],
    ["weights after", `${amount(bytes.after, "B")} (${percent(bytes.after / bytes.before)})`],
    ["largest relative error of an output", error.toPrecision(3)],
    ["bound", maxError === undefined ? "none" : String(maxError)],
    ["weights in float, because of the bound", floats.length === 0 ? "none" : floats.join(", ")],
  ],
)}
<h2>Outputs</h2>
${table(
  ["output", "SNR", "max error", "largest magnitude"],
  outputs.map((one, i) => [
    String(i),
    decibels(one.snr),
    one.maxError.toPrecision(3),
    one.maxMagnitude.toPrecision(3),
  ]),
)}
${weights.length === 0 ? "" : weightPart(weights)}
<h2>Layers</h2>
<p>Values of the layers in the quantized program, with the errors of all layers before them.</p>
${table(["layer", "SNR", "max error"], layers.map(layerFacts))}
</main>
</body>
</html>
`;
}

const weightPart = (weights: CostReport["weights"]): string => `<h2>Weights</h2>
<p>The last column is the largest relative error of the outputs when this weight alone is quantized. The worst come first.</p>
${table(["weight", "bits", "group", "bytes", "SNR", "max error", "outputs off by"], weights.map(weightFacts))}`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = (tag: string, row: readonly string[]): string =>
    `<tr>${row.map((text) => `<${tag}>${markupText(text)}</${tag}>`).join("")}</tr>`;
  const titles = head.some((text) => text !== "") ? `${columns("th", head)}\n` : "";
  return `<table>\n${titles}${rows.map((row) => columns("td", row)).join("\n")}\n</table>`;
}

const STYLE = `
body{font:14px/1.5 system-ui,sans-serif;max-width:1100px;margin:24px auto;padding:0 16px}
table{border-collapse:collapse;font-size:13px}
td,th{border-bottom:1px solid #8886;padding:2px 14px 2px 0;text-align:left;overflow-wrap:anywhere}
`;
