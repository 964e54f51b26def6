import { SconceError, thrownText } from "@sconce/errors";

/** Returns the error for a name that two owners define. */
export const nameClash = (kind: string, name: string, first: string, second: string): SconceError =>
  new SconceError({
    code: "NAME_CLASH",
    message: `${kind} "${name}" is defined ${
      first === second
        ? `twice by ${first}`
        : /^plugin /.test(first)
          ? `by ${first.replace("plugin", "plugins")} and ${second.slice("plugin ".length)}`
          : `by ${first} and by ${second}`
    }`,
    fix: "rename one of them",
  });

/** Returns the error for a part of a plugin did what it may not. */
export const badPart = (plugin: string, what: string, does: string, cause?: unknown): SconceError =>
  new SconceError({
    code: "PLUGIN_FAILED",
    message: `${what} of plugin "${plugin}" ${does}`,
    fix: `fix the plugin "${plugin}"`,
    ...(cause === undefined ? {} : { cause }),
  });

/** Returns the error for a plugin whose code threw something. */
export const pluginFailed = (plugin: string, what: string, error: unknown): SconceError =>
  new SconceError({
    code: "PLUGIN_FAILED",
    message: `${what} of plugin "${plugin}" threw: ${thrownText(error)}`,
    fix: `fix the plugin "${plugin}"`,
    cause: error,
  });

/** Returns the error for what is wrong with a plugin. */
export const badPlugin = (label: string, what: string, fix: string, cause?: unknown): SconceError =>
  new SconceError({ code: "PLUGIN", message: `${label} ${what}`, fix, cause });
