/** @file What the parts of the source check share. */
import type { AnyNode, Class, Function as FunctionNode } from "acorn";
import type { AnyFunction } from "../source/parse-function.js";
import { type AbstractObject, join, type Kind, made, NOTHING } from "./kinds.js";
import type { StrictConstruct } from "./strict-constructs.js";

/** The source that is being checked. */
export interface SourceText {
  readonly name: string;
  readonly text: string;
  /** Where the function begins in `text`. */
  readonly start: number;
}

/** A class of the checked code, with what its body sees. */
export interface ClassBody {
  readonly node: Class;
  /** The names that the body sees. */
  readonly scope: Scope;
  /** The class above; undefined where it extends none. */
  readonly base: Kind | undefined;
  /** Names that are computed, by the parts of the body that have them. */
  readonly keys: Map<AnyNode, Kind>;
}

/** One call of a checked function. */
export interface Frame {
  /** The class whose body has the function, where `super` and private names are looked up. */
  readonly home: ClassBody | undefined;
  readonly source: SourceText;
  readonly self: Kind;
  /** The function, where it is a value; `super` starts from the object that has it. */
  readonly fn: AnyFunction | undefined;
  /** What the call gives. */
  returns: Kind;
  /** Variables where the call returns. */
  exits: State;
  /** Variables where the `try` block that runs may be left by an error. */
  thrown: State;
  /** Loops that run, innermost last. */
  readonly loops: Exits[];
  /** Objects by the expressions that make them: one for all times that an expression runs. */
  readonly sites: Map<AnyNode, AbstractObject>;
}

/** Returns a call that begins. */
export const newFrame = (
  source: SourceText,
  self: Kind,
  fn: AnyFunction | undefined,
  home: ClassBody | undefined,
): Frame => ({
  home,
  source,
  self,
  fn,
  returns: NOTHING,
  exits: null,
  thrown: null,
  loops: [],
  sites: new Map(),
});

/** Where `break` and `continue` of a loop go on. */
export interface Exits {
  breaks: State;
  continues: State;
  /** Whether the condition always holds: the loop only ends by `break`. */
  isEndless: boolean;
}

/** Returns the object that an expression makes. */
export function siteOf({ frame }: Scope, node: AnyNode, make: () => AbstractObject): AbstractObject {
  let object = frame.sites.get(node);
  if (object === undefined) {
    object = make();
    frame.sites.set(node, object);
  }
  return object;
}

/** Returns a function of the checked code with the names that it sees. */
export function closure(node: AnyNode, scope: Scope): Kind {
  const fn = siteOf(scope, node, () => ({ type: "function", props: new Map(), element: NOTHING, node }));
  fn.closure = scope;
  return made(fn);
}

/** A variable. Its kind is in the state, which differs from branch to branch. */
export type Variable = object;

/** Kinds of variables; null where the code is not reached. */
export type State = ReadonlyMap<Variable, Kind> | null;

/** Names of a block. */
export class Scope {
  readonly #names = new Map<string, Variable>();
  readonly parent: Scope | undefined;
  readonly frame: Frame;
  /** Whether `var` and `this` belong here. */
  readonly isFunction: boolean;

  constructor(parent: Scope | undefined, frame: Frame, isFunction = false) {
    this.parent = parent;
    this.frame = frame;
    this.isFunction = isFunction;
  }

  declare(name: string): Variable {
    let variable = this.#names.get(name);
    if (variable === undefined) {
      variable = {};
      this.#names.set(name, variable);
    }
    return variable;
  }

  find(name: string): Variable | undefined {
    return this.#names.get(name) ?? this.parent?.find(name);
  }
}

/** Evaluates the tree of a function with kinds in place of values. */
export interface Interpreter {
  state: State;
  /** Functions of user code that the check may read, by the names that the code calls them. */
  readonly reachable: Readonly<Record<string, unknown>>;
  /** Whether sizes that are not known may be dynamic. */
  readonly hasSymbols: boolean;
  /** Takes note of a function whose result has sizes that only the data decide. */
  noteOperator(name: string): void;
  /** Counts work against the budget. */
  spend(work: number): void;

  evaluate(node: AnyNode, scope: Scope): Kind;
  run(node: AnyNode, scope: Scope): void;
  /** Calls what a value may be. */
  call(callee: Kind, self: Kind, args: readonly Kind[], node: AnyNode, scope: Scope): Kind;
  /** Runs a function of the source that is being checked, or of one that is reached. */
  activate(node: FunctionNode, scope: Scope, self: Kind, args: readonly Kind[]): Kind;
  /** Returns the names that the text of a function or a class that is a value begins with. */
  scopeOf(fn: AnyFunction, source: SourceText): Scope;
  /** Checks a function that is a value; undefined where it has no source. */
  follow(fn: AnyFunction, self: Kind, args: readonly Kind[]): Kind | undefined;
  assign(target: AnyNode, value: Kind, scope: Scope, declares?: "let" | "var"): void;
  /** Returns a variable that the function closes over; undefined where it cannot be read. */
  closed(name: string, scope: Scope): Kind | undefined;
  setClosed(name: string, value: Kind): void;
  /** Returns what iterating over a value gives. */
  elements(value: Kind): Kind;
  member(object: Kind, key: Kind, node: AnyNode, scope: Scope): Kind;
  setMember(object: Kind, key: Kind, value: Kind): void;
  /**
   * Runs the functions that the language calls by itself when it uses a value; strict mode only.
   */
  hidden(value: Kind, use: HiddenUse, node: AnyNode, scope: Scope): void;

  /** A value is used as a condition. */
  condition(value: Kind, construct: string, node: AnyNode, scope: Scope): void;
  /** Two values are compared by identity. */
  identity(a: Kind, b: Kind, construct: string, node: AnyNode, scope: Scope): void;
  /** A value is made a number or a text. */
  coercion(value: Kind, construct: string, node: AnyNode, scope: Scope): void;
  unchecked(construct: string, message: string, node: AnyNode, scope: Scope): void;
  /** An operator is called, with numbers that may be written as floats. */
  numbers(name: string, isMethod: boolean, node: AnyNode, scope: Scope): void;

  /** What strict mode looks at; undefined outside of strict mode. */
  readonly strict: StrictObserver | undefined;
}

/**
 * How the language uses a value: makes it a number or a text, iterates over it, reads its
 * properties, asks a class for its instances, or all but the last.
 */
export type HiddenUse = "convert" | "iterate" | "read" | "instance" | "any";

/** Takes note of what strict mode refuses. */
export interface StrictObserver {
  /** Operators and layers that were called so far. */
  readonly operators: number;
  countOperator(): void;
  /** Reports a construct. */
  refuse(construct: StrictConstruct, node: AnyNode, scope: Scope): void;
  /** A function is entered. */
  enter(node: FunctionNode, scope: Scope): void;
  /** A variable outside of the checked code is read. */
  read(name: string, value: Kind | undefined, node: AnyNode, scope: Scope): void;
  /** A property of a value is read. */
  readMember(object: Kind, key: Kind, node: AnyNode, scope: Scope): void;
  /** A property of a value is assigned. */
  assigned(object: Kind, node: AnyNode, scope: Scope): void;
  /** A container gets or loses items. */
  mutated(container: Kind, node: AnyNode, scope: Scope): void;
  /** Runs the body of a loop over a container. */
  iterating<T>(container: Kind, run: () => T): T;
  /** A function is called; returns whether it is one that strict mode refuses. */
  called(fn: unknown, args: readonly Kind[], node: AnyNode, scope: Scope): boolean;
}

/**
 * Runs the body of a loop over a container; strict mode then knows that the loop iterates over it.
 */
export const iterating = <T>(container: Kind, { strict }: Interpreter, run: () => T): T =>
  strict === undefined ? run() : strict.iterating(container, run);

/** Returns the kinds of variables of two branches. */
export function joinStates(a: State, b: State): State {
  if (a === null || a === b) return b;
  if (b === null) return a;
  const joined = new Map(a);
  for (const [variable, kind] of b) {
    const other = a.get(variable);
    joined.set(variable, other === undefined ? kind : join(other, kind));
  }
  return joined;
}

/** Returns whether a state has all variables of an earlier one with the same kinds. */
export function isFixedPoint(state: State, before: ReadonlyMap<Variable, Kind>): boolean {
  return state === null || [...before].every(([variable, kind]) => state.get(variable) === kind);
}

/** Sets a variable. */
export function setVariable(interpreter: Interpreter, variable: Variable, kind: Kind): void {
  if (interpreter.state === null) return;
  // Copies are made at branches only: see `branch`.
  (interpreter.state as Map<Variable, Kind>).set(variable, kind);
}

/** How many variables are copied and joined in the time of one expression. */
const VARIABLES_AT_ONCE = 4;

/** Iterations until the kinds of all variables stay the same. */
export const MOST_ITERATIONS = 8;

/** Runs two branches from the same state, and goes on with what either may have done. */
export function branch<T>(interpreter: Interpreter, first: () => T, second: () => T): [T, T] {
  const before = interpreter.state;
  // A branch copies and joins all variables.
  interpreter.spend((before?.size ?? 0) / VARIABLES_AT_ONCE);
  interpreter.state = before && new Map(before);
  const a = first();
  const after = interpreter.state;
  interpreter.state = before;
  const b = second();
  interpreter.state = joinStates(after, interpreter.state);
  return [a, b];
}

/**
 * Runs a function that the code passes on: it may be called not at all, once or many times. Gives
 * all results.
 */
export function runAnyTimes(on: Interpreter, run: () => Kind): Kind {
  let result: Kind | undefined;
  for (let count = 0; count < MOST_ITERATIONS && on.state !== null; count++) {
    const head = on.state;
    branch(
      on,
      () => {
        const given = run();
        result = result === undefined ? given : join(result, given);
      },
      () => undefined,
    );
    if (isFixedPoint(on.state, head)) break;
  }
  return result ?? NOTHING;
}

/** Takes note of a value that any property of an object may hold from now on. */
export function widen(object: AbstractObject, value: Kind): void {
  object.element = join(object.element, value);
  for (const [key, own] of object.props) object.props.set(key, join(own, value));
}

/** Everything that an array may hold. */
export function elementOf(object: AbstractObject): Kind {
  let all = object.element;
  for (const item of object.props.values()) all = join(all, item);
  return all;
}
