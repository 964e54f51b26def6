import { didYouMean, SconceError, thrownText, UNREACHABLE_MODULE_FIX } from "@sconce/errors";

/** A name among the `services` of createSconce that no service has. */
export const unknownService = (name: string, known: readonly string[]): SconceError =>
  new SconceError({
    code: "UNKNOWN_SERVICE",
    message: `unknown service "${name}"`,
    where: "`services` of createSconce",
    fix: didYouMean(name, known, `the services are: ${known.join(", ")}`),
  });

/** A name that two owners define. */
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

/** A part of a plugin did what it may not. */
export const badPart = (plugin: string, what: string, does: string, cause?: unknown): SconceError =>
  new SconceError({
    code: "PLUGIN_FAILED",
    message: `${what} of plugin "${plugin}" ${does}`,
    fix: `fix the plugin "${plugin}"`,
    ...(cause === undefined ? {} : { cause }),
  });

/** A plugin's code threw something. */
export const pluginFailed = (plugin: string, what: string, error: unknown): SconceError =>
  new SconceError({
    code: "PLUGIN_FAILED",
    message: `${what} of plugin "${plugin}" threw: ${thrownText(error)}`,
    fix: `fix the plugin "${plugin}"`,
    cause: error,
  });

/** What is wrong with a plugin. */
export const badPlugin = (label: string, what: string, fix: string, cause?: unknown): SconceError =>
  new SconceError({ code: "PLUGIN", message: `${label} ${what}`, fix, cause });

/** A typed array that does not say which tensor it is. `code` makes the tensor. */
export const typedArrayRefused = (
  input: { readonly name: string; readonly place: string; readonly type: string },
  why: string,
  code: string,
): SconceError =>
  new SconceError({
    code: "INPUT_ARRAY",
    message: `the typed array at ${input.place} cannot be ${input.name}: ${input.type}: ${why}`,
    where: input.name,
    fix: `make the tensor yourself: ${code}`,
  });

/** A page cannot load the module that reads archives. */
export const readerNotLoaded = (cause: unknown): SconceError =>
  new SconceError({
    code: "READER_NOT_LOADED",
    message: "the module that reads archives cannot be loaded",
    fix: UNREACHABLE_MODULE_FIX,
    cause,
  });
