import { SconceError } from "@sconce/errors";

/** Returns the error for a path that leads to no nested graph. */
export const noNestedGraph = (path: string): SconceError =>
  new SconceError({
    code: "NO_SUBGRAPH",
    message: `the program has no nested graph "${path}"`,
    fix: "use one of the paths that nestedGraphs() lists",
  });
