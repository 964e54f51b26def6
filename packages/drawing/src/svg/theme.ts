/** @file Colors of drawings. Text has a contrast of at least 4.5 to what is behind it. */

/** Colors of one appearance, as CSS has them. */
export interface Theme {
  /** Behind everything. */
  readonly background: string;
  /** First lines of boxes. */
  readonly text: string;
  /** Second lines of boxes, titles of arrows. */
  readonly muted: string;
  /** Arrows. */
  readonly arrow: string;
  /** Fill of frames, which lie on each other. */
  readonly frame: string;
  /** Borders of boxes. */
  readonly border: string;
  /** Fill of inputs. */
  readonly input: string;
  /** Fill of parameters, buffers and constants. */
  readonly state: string;
  /** Fill of calls. */
  readonly call: string;
  /** Fill of outputs. */
  readonly output: string;
  /** Fill of closed modules. */
  readonly module: string;
  /** Fill of closed nested graphs. */
  readonly graph: string;
  /** Fill of parts of long lists. */
  readonly part: string;
}

/** Colors on white. */
export const LIGHT: Theme = {
  background: "#ffffff",
  text: "#1b1f24",
  muted: "#57606a",
  arrow: "#8c959f",
  frame: "#0969da0d",
  border: "#afb8c1",
  input: "#dafbe1",
  state: "#eaeef2",
  call: "#ffffff",
  output: "#fff1e5",
  module: "#ddf4ff",
  graph: "#fbefff",
  part: "#f6f8fa",
};

/** Colors on black. */
export const DARK: Theme = {
  background: "#0d1117",
  text: "#e6edf3",
  muted: "#9da7b3",
  arrow: "#6e7681",
  frame: "#58a6ff14",
  border: "#484f58",
  input: "#12361f",
  state: "#262c34",
  call: "#161b22",
  output: "#44260f",
  module: "#102d4c",
  graph: "#36214f",
  part: "#1c2128",
};
