import { SconceError } from "@sconce/errors";

/** Returns the error for what passWorker was given in place of modules. */
export const passModules = (): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: "the first argument of passWorker is not a list of modules",
    fix: 'give paths or addresses of plugin modules: passWorker(["./their-plugin.js"])',
  });
