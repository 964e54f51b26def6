import type { NodeMeta } from "../values/meta.js";
import { jsonRepr, stringRepr } from "../values/python-repr.js";

const FRAME = /^File "([^\n]+)", line (\p{Nd}+), in ([^\n]+)$/u;
const LONGEST_VALUE = 40;

const NO_TRACE = "No stacktrace found for following nodes";

/** Text of the comment above a node: its innermost Python frame, or that there is none. */
export class SourceComments {
  // Neighbors mostly share their stack trace.
  #trace = "";
  #text = NO_TRACE;

  of(meta: NodeMeta): string {
    let text = "#";
    if (meta.custom !== undefined && Object.keys(meta.custom).length > 0)
      text += ` Annotation: ${customText(meta.custom)}`;
    return `${text} ${this.#frame(meta.stackTrace)}`;
  }

  #frame(trace: string | undefined): string {
    if (!trace) return NO_TRACE;
    if (trace !== this.#trace) {
      this.#trace = trace;
      this.#text = innermostFrame(trace) ?? NO_TRACE;
    }
    return this.#text;
  }
}

/** Returns the last line that names a frame and has a line of code after it. */
function innermostFrame(trace: string): string | undefined {
  const text = trace.trim();
  let end = text.length;
  let code: string | undefined;
  while (end >= 0) {
    const start = end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1;
    const line = text.slice(start, end).trim();
    if (code !== undefined && line.startsWith('File "')) {
      const match = FRAME.exec(line);
      if (match !== null) return `File: ${match[1]}:${match[2]} in ${match[3]}, code: ${code}`;
    }
    code = line;
    end = start - 1;
  }
  return undefined;
}

function customText(custom: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(custom).map(([key, value]) => {
    const text = typeof value === "string" ? value : jsonRepr(value);
    const chars = [...text];
    const shown =
      chars.length > LONGEST_VALUE
        ? stringRepr(`${chars.slice(0, LONGEST_VALUE).join("")}...`)
        : jsonRepr(value);
    return `${stringRepr(key)}: ${shown}`;
  });
  return `{${entries.join(", ")}}`;
}
