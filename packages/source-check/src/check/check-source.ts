/**
 * @file The source check: JavaScript calls no hook for `if (t)`, `!t`, `t && u` or `a === b`, so a
 * trace cannot see that it was led by a tensor or a dynamic size. This check reads the source of
 * the traced functions and follows what their values may be.
 */

import type { AnyNode, Function as FunctionNode } from "acorn";
import { closureValue } from "../source/closure-values.js";
import { type AnyFunction, isClass, parseFunction } from "../source/parse-function.js";
import { assignTo } from "./assignments.js";
import { callKind, callModule, evaluateCall, isLayer } from "./calls.js";
import { coercionProblem, conditionProblem, identityProblem } from "./diagnose.js";
import { evaluateExpression } from "./expressions.js";
import { floatLiterals } from "./float-literals.js";
import { runHidden } from "./hidden-calls.js";
import {
  elementOf,
  type HiddenUse,
  type Interpreter,
  joinStates,
  newFrame,
  Scope,
  type SourceText,
  type State,
  type StrictObserver,
  widen,
} from "./interpreter.js";
import {
  arrayOf,
  join,
  joinKinds,
  type Kind,
  known,
  listOf,
  mayBeTensor,
  NOTHING,
  PLAINS,
  primitive,
  UNDEFINED,
  unknown,
} from "./kinds.js";
import { ANY, elementsOf, memberKind } from "./members.js";
import { DATA_DEPENDENT } from "./operator-results.js";
import { isOwnGetter } from "./own-functions.js";
import { fakeOf, isSym, ownValues } from "./own-values.js";
import { inheritedProperty, isObject, prototypesOf } from "./prototypes.js";
import { isProxy, noteVariable, PROXY } from "./proxies.js";
import { Findings, type SourceFinding, type SourceReport } from "./report.js";
import { runBlock, runStatement } from "./statements.js";
import { type StrictConstruct, strictProblem } from "./strict-constructs.js";
import { type ReportConstruct, StrictReporter } from "./strict-observer.js";

/** What a function is checked with. */
export interface CheckRequest {
  /** `this` of the call: the module. */
  readonly thisValue?: unknown;
  /** The arguments of the call, tensors as they are traced: their sizes decide what is dynamic. */
  readonly args: readonly unknown[];
  /** Functions that the code calls by these names and that the check may read, too. */
  readonly reachable?: Readonly<Record<string, unknown>>;
  /**
   * Whether the check also looks for what a trace cannot see, as strict mode does.
   * @defaultValue false
   */
  readonly strict?: boolean;
}

/**
 * Checks the source of a function for tensors and dynamic sizes that JavaScript would take for
 * true, or compare by identity. It follows the modules and methods that it can reach through `this`
 * and the arguments. What it cannot follow is listed as unchecked.
 */
export function checkSource(fn: AnyFunction, request: CheckRequest): SourceReport {
  const { thisValue, args } = request;
  return checkWith(fn, {
    ...request,
    self: thisValue === undefined ? UNDEFINED : known(thisValue),
    observe: request.strict === true ? (report) => new StrictReporter(args, report) : undefined,
  });
}

/** What a check of any kind needs. */
export interface ObservedRequest extends Omit<CheckRequest, "strict"> {
  /** What is known of `this`. */
  readonly self: Kind;
  /** The module whose method may have made the function: `this` of an arrow function. */
  readonly around?: object | undefined;
  /** Makes the observer that reports constructs; undefined where the check reports none. */
  readonly observe: ((report: ReportConstruct) => StrictObserver) | undefined;
}

/** Checks the source of a function, as {@link checkSource}, with another observer. */
export function checkWith(fn: AnyFunction, request: ObservedRequest): SourceReport {
  const hasSymbols = request.args.some((arg) => isDynamic(arg, 0));
  let checker = new Checker(request, hasSymbols, new Map());
  let report = checker.check(fn);
  // What a later line writes to a property, or finds out about sizes, an earlier one may read.
  for (let again = 0; again < 3 && checker.mustRepeat; again++) {
    checker = new Checker(request, checker.hasSymbols, checker.written);
    report = checker.check(fn);
  }
  return report;
}

function isDynamic(value: unknown, depth: number): boolean {
  if (isSym(value)) return true;
  const fake = fakeOf(value);
  if (fake !== undefined) return fake.shape.some((size) => typeof size !== "number");
  if (typeof value !== "object" || value === null || depth > 8 || ArrayBuffer.isView(value)) return false;
  const items = value instanceof Map ? [...value.values()] : Object.values(value);
  return items.some((item) => isDynamic(item, depth + 1));
}

/** Expressions and statements that are evaluated before the check gives up. */
const BUDGET = 400_000;
const DEEPEST_CALL = 40;
/** Represents all scopes around the checked functions: what is written to a name there. */
const CLOSED = {};
const TOO_LARGE = Symbol("too large");

type Written = Map<object, Map<string, Kind>>;

class Checker implements Interpreter {
  state: State = new Map();
  hasSymbols: boolean;
  mustRepeat = false;
  readonly reachable: Readonly<Record<string, unknown>>;
  readonly written: Written;
  readonly strict: StrictObserver | undefined;
  readonly #request: ObservedRequest;
  readonly #findings = new Findings();
  readonly #active: AnyFunction[] = [];
  /** `this` of the functions that run, outermost first. */
  readonly #selves: Kind[];
  #depth = 0;
  #work = 0;

  constructor(request: ObservedRequest, hasSymbols: boolean, written: Written) {
    this.#request = request;
    this.#selves = [known(request.around), request.self];
    this.hasSymbols = hasSymbols;
    this.written = written;
    this.reachable = request.reachable ?? {};
    this.strict = request.observe?.((construct, node, scope, doubt) => {
      if (doubt === undefined) this.#refuse(construct, node, scope);
      else this.unchecked(construct, doubt, node, scope);
    });
  }

  check(fn: AnyFunction): SourceReport {
    const { thisValue, self, args } = this.#request;
    const source = { name: fn.name || "<anonymous>", text: "", start: 0 };
    const finding = { construct: "function", function: source.name, line: 1, column: 1, code: source.name };
    try {
      const result = isLayer(thisValue)
        ? callModule(thisValue, args.map(known), this)
        : this.follow(fn, self, args.map(known));
      if (result === undefined)
        this.#findings.unchecked("source", {
          ...finding,
          message: "the function has no source that can be read",
        });
    } catch (error) {
      if (error !== TOO_LARGE) throw error;
      this.#findings.unchecked("budget", { ...finding, message: "the code is too large to be checked" });
      this.mustRepeat = false;
    }
    return this.#findings.report();
  }

  evaluate(node: AnyNode, scope: Scope): Kind {
    this.spend(1);
    if (this.state === null) return NOTHING;
    return node.type === "CallExpression" || node.type === "NewExpression"
      ? evaluateCall(node, scope, this)
      : evaluateExpression(node, scope, this);
  }

  spend(work: number): void {
    this.#work += work;
    if (this.#work > BUDGET) throw TOO_LARGE;
  }

  run(node: AnyNode, scope: Scope): void {
    runStatement(node, scope, this);
  }

  call(callee: Kind, self: Kind, args: readonly Kind[], node: AnyNode, scope: Scope): Kind {
    return callKind(callee, self, args, node, scope, this);
  }

  assign(target: AnyNode, value: Kind, scope: Scope, declares?: "let" | "var"): void {
    assignTo(target, value, scope, this, declares);
  }

  follow(fn: AnyFunction, self: Kind, args: readonly Kind[]): Kind | undefined {
    const parsed = parseFunction(fn);
    if (parsed === null) return undefined;
    const calls = this.#active.filter((one) => one === fn).length;
    if (calls > 1) return unknown("a function calls itself");
    // A deeper call may take another branch: it is followed with all numbers and texts.
    if (calls === 1 && this.strict !== undefined) args = args.map(anyPrimitive);
    const { node, source: text, start } = parsed;
    const isArrow = node.type === "ArrowFunctionExpression";
    this.#active.push(fn);
    const result = this.#enter(
      node,
      { name: fn.name || "<anonymous>", text, start },
      isArrow ? lexicalThis(fn, [self, ...this.#selves]) : self,
      fn,
      undefined,
      args,
    );
    this.#active.pop();
    return result;
  }

  activate(node: FunctionNode, scope: Scope, given: Kind, args: readonly Kind[]): Kind {
    const { self, source, fn } = scope.frame;
    const isGiven = given.objects.length > 0 || given.values.some((value) => value !== undefined);
    const other = isGiven ? given : unknown("`this` of a function is not followed");
    const own = node.type === "ArrowFunctionExpression" ? self : other;
    const name = node.id?.name ?? source.name;
    return this.#enter(node, { ...source, name }, own, fn, scope, args);
  }

  scopeOf(fn: AnyFunction, source: SourceText): Scope {
    return new Scope(undefined, newFrame(source, UNDEFINED, fn, undefined), true);
  }

  #enter(
    node: FunctionNode,
    source: SourceText,
    self: Kind,
    fn: AnyFunction | undefined,
    outer: Scope | undefined,
    args: readonly Kind[],
  ): Kind {
    if (this.state === null) return NOTHING;
    const frame = newFrame(source, self, fn, outer?.frame.home);
    const scope = new Scope(outer, frame, true);
    if (this.#depth >= DEEPEST_CALL) {
      const reason = "calls are nested too deeply";
      if (this.strict !== undefined) this.unchecked("call", reason, node as AnyNode, scope);
      return unknown(reason);
    }
    this.strict?.enter(node, scope);
    this.#depth++;
    this.#selves.push(self);
    node.params.forEach((param, i) => {
      const value = param.type === "RestElement" ? listOf(args.slice(i)) : (args[i] ?? UNDEFINED);
      this.assign(param, value, scope, "let");
    });
    const result = this.#body(node, scope);
    this.#depth--;
    this.#selves.pop();
    return result;
  }

  #body(node: FunctionNode, scope: Scope): Kind {
    const { frame } = scope;
    if (node.body.type !== "BlockStatement") return this.evaluate(node.body, scope);
    runBlock(node.body.body, scope, this);
    if (this.state !== null) frame.returns = join(frame.returns, UNDEFINED);
    this.state = joinStates(this.state, frame.exits);
    return node.generator ? arrayOf(frame.returns) : frame.returns;
  }

  closed(name: string, { frame: { fn } }: Scope): Kind | undefined {
    const found = fn && closureValue(fn, name);
    if (found !== undefined) noteVariable(name, found.value);
    return found && join(known(found.value), this.#writtenTo(CLOSED, name));
  }

  setClosed(name: string, value: Kind): void {
    this.#write(CLOSED, name, value);
  }

  elements(value: Kind): Kind {
    const written = value.values.map((owner) => this.#writtenTo(owner, ANY));
    return joinKinds([elementsOf(value), ...written]);
  }

  member(object: Kind, key: Kind, node: AnyNode, scope: Scope): Kind {
    if (this.strict !== undefined && object.values.some(isProxy)) this.unchecked("proxy", PROXY, node, scope);
    return memberKind(object, key, {
      written: (owner, name) => this.#writtenTo(owner, name),
      getter: (get, self) => {
        if (ownValues().isStateGetter(get) || isOwnGetter(get)) return known(get());
        this.strict?.called(get, [], node, scope);
        // Getters of the language give numbers and texts: `map.size`.
        return this.follow(get as AnyFunction, self, []) ?? PLAINS;
      },
    });
  }

  hidden(value: Kind, use: HiddenUse, node: AnyNode, scope: Scope): void {
    if (this.strict !== undefined && this.state !== null) runHidden(this, value, use, node, scope);
  }

  setMember(object: Kind, key: Kind, value: Kind): void {
    const name = primitive(key)?.value;
    for (const owner of object.values)
      if (isObject(owner)) {
        this.#write(owner, name === undefined ? ANY : String(name), value);
        const setter = setterOf(owner, name);
        if (setter !== undefined) this.follow(setter, known(owner), [value]);
      }
    for (const one of object.objects) {
      if (name === undefined) widen(one, value);
      // A shorter array takes new items by number.
      else if (one.type === "array" && name === "length") {
        one.element = elementOf(one);
        one.props.clear();
      } else one.props.set(String(name), join(one.props.get(String(name)) ?? NOTHING, value));
    }
  }

  #writtenTo(owner: unknown, name: string): Kind {
    return this.written.get(owner as object)?.get(name) ?? NOTHING;
  }

  #write(owner: object, name: string, value: Kind): void {
    let properties = this.written.get(owner);
    if (properties === undefined) {
      properties = new Map();
      this.written.set(owner, properties);
    }
    const before = properties.get(name) ?? NOTHING;
    const after = join(before, value);
    properties.set(name, after);
    if (after !== before) this.mustRepeat = true;
  }

  noteOperator(name: string): void {
    if (this.hasSymbols || !DATA_DEPENDENT.test(name)) return;
    this.hasSymbols = true;
    this.mustRepeat = true;
  }

  condition(value: Kind, construct: string, node: AnyNode, scope: Scope): void {
    this.#report(conditionProblem(value, textOf(node, scope), this.hasSymbols), construct, node, scope);
  }

  identity(a: Kind, b: Kind, construct: string, node: AnyNode, scope: Scope): void {
    const operands =
      node.type === "BinaryExpression"
        ? [textOf(node.left, scope), textOf(node.right, scope)]
        : [textOf(node, scope), undefined];
    this.#report(identityProblem(a, b, operands, construct, this.hasSymbols), construct, node, scope);
  }

  coercion(value: Kind, construct: string, node: AnyNode, scope: Scope): void {
    this.hidden(value, "convert", node, scope);
    // The text of a tensor shows its values.
    if ((construct === "String" || construct === "template literal") && mayBeTensor(value))
      this.strict?.refuse("host-read", node, scope);
    this.#report(coercionProblem(value, textOf(node, scope), construct), construct, node, scope);
  }

  unchecked(construct: string, message: string, node: AnyNode, scope: Scope): void {
    this.#report({ message }, construct, node, scope);
  }

  numbers(name: string, isMethod: boolean, node: AnyNode, scope: Scope): void {
    if (this.state === null) return;
    for (const { node: number, message, fix } of floatLiterals(name, isMethod, node)) {
      const finding = { ...placeOf(number, scope), construct: "float", message, fix };
      this.#findings.warn(keyOf("float", number, scope), finding, scope.frame.fn);
    }
  }

  #refuse(construct: StrictConstruct, node: AnyNode, scope: Scope): void {
    if (this.state === null) return;
    const place = placeOf(node, scope);
    const problem = { ...place, construct, ...strictProblem(construct, place.code) };
    this.#findings.refuse(keyOf(construct, node, scope), problem, scope.frame.fn);
  }

  #report(
    problem: { readonly message: string; readonly fix?: string | undefined } | undefined,
    construct: string,
    node: AnyNode,
    scope: Scope,
  ): void {
    if (problem === undefined || this.state === null) return;
    const { fn } = scope.frame;
    const { message, fix } = problem;
    const finding = { ...placeOf(node, scope), construct, message };
    const key = keyOf(construct, node, scope);
    if (fix === undefined) this.#findings.unchecked(key, finding, fn);
    else this.#findings.error(key, { ...finding, fix }, fn);
  }
}

/**
 * Returns what `this` is in an arrow function that is a value: an object whose class has its text.
 */
function lexicalThis(fn: AnyFunction, candidates: readonly Kind[]): Kind {
  const text = String(fn);
  const owners = candidates.flatMap(({ values }) => values).filter((value) => isMadeBy(value, text));
  return owners.length > 0
    ? joinKinds(owners.map(known))
    : unknown("`this` of an arrow function is not known");
}

/** Returns whether a class of an object has a text. */
function isMadeBy(value: unknown, text: string): boolean {
  if (!isObject(value)) return false;
  for (const at of prototypesOf(value)) {
    const type = Object.hasOwn(at, "constructor") ? (at.constructor as unknown) : undefined;
    if (typeof type === "function" && isClass(type as AnyFunction) && String(type).includes(text))
      return true;
  }
  return false;
}

/** Any number or text in place of a known one. */
const anyPrimitive = (value: Kind): Kind => (primitive(value) === undefined ? value : join(PLAINS, value));

/** Returns the setter of a property, where it has one that can be read. */
function setterOf(owner: object, name: unknown): AnyFunction | undefined {
  if (name === undefined || isProxy(owner)) return undefined;
  const { get, set } = inheritedProperty(owner, typeof name === "symbol" ? name : String(name)) ?? {};
  return get !== undefined && ownValues().isStateGetter(get) ? undefined : (set as AnyFunction | undefined);
}

/** A place is reported once for each construct. */
const keyOf = (construct: string, node: AnyNode, { frame: { source } }: Scope): string =>
  `${construct} ${node.start} ${source.text}`;

/** Where a node stands. */
function placeOf(node: AnyNode, scope: Scope): Pick<SourceFinding, "function" | "line" | "column" | "code"> {
  const { source } = scope.frame;
  const lines = source.text.slice(source.start, node.start).split(/\r\n|[\n\r]/);
  const column = lines.at(-1)!.length + 1;
  return { function: source.name, line: lines.length, column, code: textOf(node, scope) };
}

const LONGEST_CODE = 120;

/**
 * Returns the code of a node on one line; of a function or a statement with a body, what is before
 * it.
 */
function textOf(node: AnyNode, { frame: { source } }: Scope): string {
  const { start, end } = node;
  if (node.type === "TryStatement") return "try";
  const isFunction = /^(?:Function|Arrow)/.test(node.type);
  const body = isFunction || node.type === "WithStatement" ? (node as { body: AnyNode }).body : undefined;
  const text = source.text
    .slice(start, body?.start ?? end)
    .replace(/\s+/g, " ")
    .trim();
  return text.length > LONGEST_CODE ? `${text.slice(0, LONGEST_CODE - 3)}...` : text;
}
