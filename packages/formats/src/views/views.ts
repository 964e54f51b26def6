/**
 * @file Programs for people and other tools to look at: diagrams and JSON. Nothing reads these
 * back.
 */
export type { DiagramOptions } from "./diagram.js";
export { dotText } from "./dot.js";
export { jsonText } from "./json.js";
export { mermaidText } from "./mermaid.js";
