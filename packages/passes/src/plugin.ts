import type { Backend, DialectRules, PytreeType } from "@sconce/ir";
import type { OpDefinition } from "@sconce/ops";
import type { Pass, PassContext } from "./pass/pass.js";
import type { Rule } from "./rewrite/rule.js";
import type { Decompositions } from "./tables/table.js";

/** A kernel of `@sconce/backend-cpu` (`kernel(...)`), whose types this package does not know. */
export type PluginKernel = (args: Readonly<Record<string, unknown>>, context: never) => unknown;

/** What a package adds to Sconce: a plain object, given to `createSconce({ plugins: [...] })`. */
export interface Plugin {
  /** The name that errors and reports use. */
  readonly name: string;
  /** Operators, defined with `defineOp`. */
  readonly ops?: readonly OpDefinition[];
  /**
   * What the interpreter runs operators by, by target; an operator with a decomposition needs none.
   */
  readonly kernels?: Readonly<Record<string, PluginKernel>>;
  /** Passes, to be used by name in pipelines. */
  readonly passes?: readonly Pass[];
  /** Rewrite rules, which the pass `rewrite` applies. */
  readonly rules?: readonly Rule[];
  /** Entries that the default decomposition table gets, or that replace its own, by target. */
  readonly decompositions?: Decompositions;
  /**
   * Dialects that programs may be in, and that passes may require and ensure: what the verifier
   * then asks of them.
   */
  readonly dialects?: readonly DialectRules[];
  /** Backends, to be used by name. */
  readonly backends?: readonly Backend[];
  /**
   * How objects of classes that were registered with pytree look in JavaScript: as inputs, results
   * and example inputs.
   */
  readonly pytreeTypes?: readonly PytreeType[];
}

/**
 * A backend that uses a session's parts when it is given to one: its operators and decompositions,
 * and its interpreter.
 */
export interface SessionBackend extends Backend {
  /**
   * Returns the same backend with the session's parts in place of those that it was not given
   * itself.
   */
  inSession(session: PassContext, host: Backend): Backend;
}
