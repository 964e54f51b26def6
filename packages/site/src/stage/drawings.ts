/**
 * @file Drawings of pages, in the colors of both appearances. A page names a program in a comment,
 * `<!-- drawing: FILE, passes PASSES, "A title" -->`, which readers of the repository do not see.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createSconce } from "sconce";
import { DARK, LIGHT, layeredLayout, svgText, type Theme } from "sconce/drawing";
import { ROOT } from "../support/paths.js";

/** A drawing that a page shows: the text that represents it, and its files by their places. */
interface Drawing {
  readonly markdown: string;
  readonly files: readonly (readonly [place: string, svg: string])[];
}

const MARK = /^<!-- drawing: (\S+?)(?:, passes (\S+))?, "([^"]+)" -->$/gm;
const MERMAID = /^```mermaid\nflowchart BT\n([\s\S]*?)^```$/gm;

const escapeText = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Returns a picture in both appearances. A narrow page scrolls it. */
function drawing(name: string, title: string, draw: (theme: "light" | "dark") => string): Drawing {
  const themes = ["light", "dark"] as const;
  const place = (theme: string): string => `drawings/${name}-${theme}.svg`;
  const images = themes.map(
    (theme) => `<img class="${theme}-only" src="/${place(theme)}" alt="${escapeText(title)}">`,
  );
  return {
    markdown: `<div class="drawing" tabindex="0" role="group" aria-label="Drawing">\n${images.join("\n")}\n</div>`,
    files: themes.map((theme) => [place(theme), draw(theme)] as const),
  };
}

async function programDrawing(name: string, file: string, passes: string, title: string): Promise<Drawing> {
  const sconce = createSconce();
  const program = await sconce.load(readFileSync(join(ROOT, file)));
  const shown = passes === "" ? program : sconce.transform(program, passes);
  return drawing(name, title, (theme) => svgText(shown, { theme, title }));
}

const BOX = { width: 120, height: 28 };

/** Returns a chart of names with arrows, as a Mermaid flowchart has them: `a --> b`, `a -.-> b`. */
function flowchart(name: string, text: string): Drawing {
  const edges = [...text.matchAll(/^ +(\S+) (-->|-\.->) (\S+)$/gm)].map(([, from, arrow, to]) => ({
    from: from!,
    to: to!,
    isDotted: arrow !== "-->",
  }));
  // Those that import come first: their arrows lead down.
  const names = [...new Set(edges.flatMap(({ from, to }) => [to, from]))].reverse();
  const numbers = new Map(names.map((one, i) => [one, i]));
  const layout = layeredLayout({
    widths: new Float64Array(names.length).fill(BOX.width),
    heights: new Float64Array(names.length).fill(BOX.height),
    from: Int32Array.from(edges, ({ from }) => numbers.get(from)!),
    to: Int32Array.from(edges, ({ to }) => numbers.get(to)!),
  });
  const lines = edges.map(({ isDotted }, i) => {
    const points = layout.points.subarray(layout.starts[i]!, layout.starts[i + 1]!);
    const dash = isDotted ? ' stroke-dasharray="3 3"' : "";
    return `<polyline points="${points.join(" ")}"${dash} marker-end="url(#arrow)"/>`;
  });
  const size = `width="${layout.width + 8}" height="${layout.height + 8}" viewBox="-4 -4 ${layout.width + 8} ${layout.height + 8}"`;
  const boxes = (theme: Theme): string[] =>
    names.map((one, i) => {
      const [x, y] = [layout.x[i]!, layout.y[i]!];
      return (
        `<rect x="${x - BOX.width / 2}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="5" fill="${theme.module}" stroke="${theme.border}"/>` +
        `<text x="${x}" y="${y + 18}" text-anchor="middle" fill="${theme.text}" font-family="monospace" font-size="12">${escapeText(one)}</text>`
      );
    });
  return drawing(
    name,
    "The imports of the packages, from those that import to those that are imported",
    (theme) => {
      const colors = theme === "light" ? LIGHT : DARK;
      return [
        `<svg xmlns="http://www.w3.org/2000/svg" ${size}>`,
        `<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="${colors.arrow}"/></marker></defs>`,
        `<g fill="none" stroke="${colors.arrow}">${lines.join("")}</g>`,
        ...boxes(colors),
        "</svg>\n",
      ].join("\n");
    },
  );
}

/**
 * Returns a page with its drawings in place of what represents them, and the files of the drawings.
 */
export async function withDrawings(
  place: string,
  text: string,
): Promise<{ readonly text: string; readonly files: readonly (readonly [string, string])[] }> {
  const name = place.replace(/\.md$/, "").replaceAll("/", "-");
  const files: (readonly [string, string])[] = [];
  let drawn = text;
  for (const [i, [mark, file, passes = "", title]] of [...text.matchAll(MARK)].entries()) {
    const made = await programDrawing(`${name}-${i}`, file!, passes, title!);
    drawn = drawn.replace(mark, () => made.markdown);
    files.push(...made.files);
  }
  for (const [mark, chart] of text.matchAll(MERMAID)) {
    const made = flowchart(`${name}-chart`, chart!);
    drawn = drawn.replace(mark, () => made.markdown);
    files.push(...made.files);
  }
  return { text: drawn, files };
}
