/**
 * @file Programs for people and other tools to look at: diagrams and JSON. Nothing reads these
 * back.
 */
export { dotText } from "./views/dot.js";
export { jsonText } from "./views/json.js";
export { mermaidText } from "./views/mermaid.js";
