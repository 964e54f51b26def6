/** @file A chart of a comparison as SVG: one bar for each runtime and model. */
import { PEERS } from "./peer.js";
import { type Results, threadsText, timeText } from "./results.js";

const COLORS: Readonly<Record<string, string>> = {
  cpu: "#9db7d5",
  wasm: "#1f6fb2",
  "wasm-host": "#3f86bd",
  gpujs: "#5a9bd0",
  "ort-web": "#e0a030",
  litert: "#d2773a",
  tfjs: "#c4b03c",
  "jax-js": "#a0785a",
  "ort-node": "#808080",
};

const LABEL_WIDTH = 150;
const BAR = 11;
const GAP = 14;
/** Pixels of a ratio of one. */
const UNIT = 150;
/** Bars end here, with their number. */
const MOST = 3;
const TOP = 64;

/** The colors of both themes: pages and GitHub show the chart in either. */
const STYLE =
  "<style>text{fill:#202020}.back{fill:#ffffff}line{stroke:#404040}" +
  "@media (prefers-color-scheme: dark){text{fill:#e6edf3}.back{fill:#0d1117}line{stroke:#9da7b3}}</style>";

const TITLE = "CPU time over that of the fastest WebAssembly peer; less is better";

/** Bars of the CPU times of a comparison, over the least of the WebAssembly peers. */
export function chart(results: Results): string {
  const parts: string[] = [];
  let y = TOP;
  for (const { model, timings } of results.models) {
    const bars = Object.keys(PEERS).filter((name) => timings[name]?.ratio !== undefined);
    if (bars.length === 0) continue;
    parts.push(text(LABEL_WIDTH - 8, y + (bars.length * BAR) / 2 + 4, model, "end"));
    for (const name of bars) {
      const { ratio, cpu } = timings[name] as { ratio: number; cpu: number };
      const width = Math.min(ratio, MOST) * UNIT;
      parts.push(
        `<rect x="${LABEL_WIDTH}" y="${y}" width="${width.toFixed(1)}" height="${BAR - 2}" fill="${COLORS[name]}"/>`,
        text(LABEL_WIDTH + width + 4, y + BAR - 3, `${ratio.toFixed(2)} (${timeText(cpu)} ms)`, "start", 9),
      );
      y += BAR;
    }
    y += GAP;
  }
  const line = LABEL_WIDTH + UNIT;
  const height = y + 4;
  const width = LABEL_WIDTH + MOST * UNIT + 110;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif">`,
    `<title>${TITLE}</title>`,
    STYLE,
    `<rect class="back" width="${width}" height="${height}"/>`,
    text(8, 18, TITLE, "start", 13),
    text(8, 34, `Node ${results.node}, ${threadsText(results.threads)}`, "start", 11),
    ...legend(results),
    `<line x1="${line}" y1="${TOP - 6}" x2="${line}" y2="${height - 8}" stroke-dasharray="3 3"/>`,
    ...parts,
    "</svg>\n",
  ].join("\n");
}

function legend({ models }: Results): string[] {
  const names = Object.keys(PEERS).filter((name) => models.some(({ timings }) => name in timings));
  return names.flatMap((name, i) => {
    const x = 8 + i * 84;
    return [
      `<rect x="${x}" y="42" width="10" height="10" fill="${COLORS[name]}"/>`,
      text(x + 14, 51, name, "start", 11),
    ];
  });
}

const text = (x: number, y: number, content: string, anchor: "start" | "end", size = 11): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="${size}" text-anchor="${anchor}">${escaped(content)}</text>`;

const escaped = (content: string): string =>
  content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
