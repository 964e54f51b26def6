/** @file What the backend has in Node alone. */
export { folderCache } from "./cache/folder-cache-node.js";
