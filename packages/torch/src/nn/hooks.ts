/** @file Functions that run before and after a module's `forward`. */
import { checkOptions, type OptionNames } from "@sconce/errors";
import { type AnyFunction, functionParameters, isPlainObject } from "@sconce/source-check";
import { currentTrace } from "../trace/dispatch.js";
import { badHookResult, hookNotFunction } from "./errors.js";
import { type Hook, type Hooks, type NormHook, registryOf } from "./registered-names.js";

/** Keyword arguments of a call: the object behind the positional ones. */
export type HookKeywords = Readonly<Record<string, unknown>>;

/** Options of hooks that run before `forward`. */
export interface PreHookOptions {
  /** Whether it runs before the hooks that are there. @defaultValue false */
  readonly prepend?: boolean | undefined;
  /** Whether it is given the keyword arguments, too. @defaultValue false */
  readonly withKwargs?: boolean | undefined;
}

/** Options of hooks that run after `forward`. */
export interface HookOptions extends PreHookOptions {
  /** Whether it also runs when `forward` or another hook throws. @defaultValue false */
  readonly alwaysCall?: boolean | undefined;
}

/** Hooks that are given keyword arguments. */
export interface WithKwargs {
  readonly withKwargs: true;
}

/** A module, for the types of its hooks. */
interface Callable {
  forward(...args: never[]): unknown;
}

type ArgumentsOf<M extends Callable> = Parameters<M["forward"]>;
type ResultOf<M extends Callable> = ReturnType<M["forward"]>;
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
type Nothing = void | undefined | null;

/** A function that runs before `forward`. */
export type ForwardPreHook<M extends Callable> = (
  module: M,
  args: ArgumentsOf<M>,
) => readonly unknown[] | ArgumentsOf<M>[0] | Nothing;
/** A function that runs before `forward`, and is given keyword arguments. */
export type KeywordPreHook<M extends Callable> = (
  module: M,
  args: ArgumentsOf<M>,
  kwargs: HookKeywords,
) => readonly [args: readonly unknown[], kwargs: HookKeywords] | Nothing;
/** A function that runs after `forward`. */
export type ForwardHook<M extends Callable> = (
  module: M,
  args: ArgumentsOf<M>,
  output: ResultOf<M>,
) => ResultOf<M> | Nothing;
/** A function that runs after `forward`, and is given keyword arguments. */
export type KeywordHook<M extends Callable> = (
  module: M,
  args: ArgumentsOf<M>,
  kwargs: HookKeywords,
  output: ResultOf<M>,
) => ResultOf<M> | Nothing;

const PRE_HOOK: OptionNames<PreHookOptions> = { prepend: true, withKwargs: true };
const HOOK: OptionNames<HookOptions> = { prepend: true, withKwargs: true, alwaysCall: true };

/** What a hook is removed with. */
export interface HookHandle {
  /** Removes the hook. A second call has no effect. */
  remove(): void;
}

/** Adds a hook to a module. */
export function addHook(
  module: object,
  place: keyof Hooks,
  run: AnyFunction,
  options: HookOptions = {},
  norm?: NormHook,
): HookHandle {
  const name = place === "before" ? "registerForwardPreHook" : "registerForwardHook";
  checkOptions(name, options, place === "before" ? PRE_HOOK : HOOK);
  if (typeof run !== "function") throw hookNotFunction(name, run);
  const { withKwargs = false, alwaysCall = false, prepend = false } = options;
  const hook: Hook = { run, withKwargs, alwaysCall, norm };
  const registry = registryOf(module);
  registry.hooks ??= { before: [], after: [] };
  const { hooks } = registry;
  hooks[place] = prepend ? [hook, ...hooks[place]] : [...hooks[place], hook];
  return {
    remove: () => {
      hooks[place] = hooks[place].filter((own) => own !== hook);
    },
  };
}

/**
 * Returns the positional arguments of a call and its keywords: an object for a parameter that is a
 * pattern, as in `forward(x, { gain })`, has keywords.
 */
export function splitCall(
  module: object,
  args: readonly unknown[],
): readonly [positional: readonly unknown[], keywords: HookKeywords] {
  const last = args.at(-1);
  const { forward } = module as { readonly forward: AnyFunction };
  const parameter = functionParameters(forward)?.[args.length - 1];
  const isPattern = parameter !== undefined && parameter.name === undefined && !parameter.isRest;
  return isPattern && isPlainObject(last) ? [args.slice(0, -1), last as HookKeywords] : [args, {}];
}

/** Runs `forward` of a module with its hooks. */
export function runHooked(
  module: object,
  args: readonly unknown[],
  forward: (...args: readonly unknown[]) => unknown,
): unknown {
  const { hooks } = registryOf(module);
  if (hooks === undefined || hooks.before.length + hooks.after.length === 0) return forward(...args);
  const call = new HookedCall(module, args);
  const called = new Set<Hook>();
  try {
    for (const hook of hooks.before) call.before(hook);
    call.result = forward(...call.all());
    for (const hook of hooks.after) {
      called.add(hook);
      call.after(hook);
    }
    return call.result;
  } catch (error) {
    for (const hook of hooks.after) if (hook.alwaysCall && !called.has(hook)) call.quietly(hook);
    throw error;
  }
}

/** The arguments and the result of a call, as its hooks leave them. */
class HookedCall {
  readonly #module: object;
  #args: readonly unknown[];
  #keywords: HookKeywords;
  result: unknown;

  constructor(module: object, args: readonly unknown[]) {
    this.#module = module;
    [this.#args, this.#keywords] = splitCall(module, args);
  }

  /** Returns the arguments for `forward`. */
  all(): readonly unknown[] {
    return Object.keys(this.#keywords).length === 0 ? this.#args : [...this.#args, this.#keywords];
  }

  before(hook: Hook): void {
    if (!hook.withKwargs) {
      const changed = this.#run(hook, [this.#args]);
      if (changed !== undefined && changed !== null)
        this.#args = Array.isArray(changed) ? (changed as readonly unknown[]) : [changed];
      return;
    }
    const changed = this.#run(hook, [this.#args, this.#keywords]);
    if (changed === undefined || changed === null) return;
    if (!isArguments(changed)) throw badHookResult(changed);
    [this.#args, this.#keywords] = changed;
  }

  after(hook: Hook): void {
    const given = hook.withKwargs ? [this.#args, this.#keywords] : [this.#args];
    const changed = this.#run(hook, [...given, this.result]);
    if (changed !== undefined && changed !== null) this.result = changed;
  }

  /** Runs a hook after an error. Errors of the hook are dropped. */
  quietly(hook: Hook): void {
    try {
      this.after(hook);
    } catch {
      // The error of `forward` is the one that is thrown.
    }
  }

  #run({ run, norm }: Hook, given: readonly unknown[]): unknown {
    const args = [this.#module, ...given];
    if (norm === undefined) currentTrace()?.checkFunction?.(run, args);
    return (run as (...args: readonly unknown[]) => unknown)(...args);
  }
}

const isArguments = (value: unknown): value is readonly [readonly unknown[], HookKeywords] =>
  Array.isArray(value) && value.length === 2 && Array.isArray(value[0]) && isPlainObject(value[1]);
