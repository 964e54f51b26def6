/** Paths of the repository, with "/" on every system. */
import { normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the repository, in the form of the system. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Returns a path with "/" between its parts: Windows also uses "\". */
export const posix = (path) => path.replaceAll("\\", "/");

/** Returns a path without `.` and `..`, with "/". */
export const normalized = (path) => posix(normalize(path));

/** Returns a path below a folder as seen from it, with "/". */
export const pathFrom = (folder, path) => posix(relative(folder, path));
