/** @file Expressions of the checked source. */
import type {
  AnyNode,
  AssignmentExpression,
  BinaryExpression,
  ConditionalExpression,
  Expression,
  Identifier,
  LogicalExpression,
  MemberExpression,
  ObjectExpression,
  SpreadElement,
  UnaryExpression,
} from "acorn";
import { put, spreadInto } from "./assignments.js";
import { evaluateClass, privateMember, superOfInstance } from "./classes.js";
import { branch, closure, type Interpreter, runAnyTimes, type Scope, siteOf } from "./interpreter.js";
import {
  type AbstractObject,
  join,
  joinKinds,
  type Kind,
  known,
  made,
  makeObject,
  NOTHING,
  nullish,
  PLAINS,
  primitive,
  truth,
  UNDEFINED,
  UNKNOWN,
  unknown,
  without,
} from "./kinds.js";
import { globalKind } from "./names.js";
import { narrow, typeOf } from "./narrow.js";
import { inheritedProperty } from "./prototypes.js";

type Evaluate<T extends AnyNode> = (node: T, scope: Scope, on: Interpreter) => Kind;

/** Evaluates an expression; everything in it that the engine would evaluate is checked. */
export function evaluateExpression(node: AnyNode, scope: Scope, on: Interpreter): Kind {
  if (on.state === null) return NOTHING;
  const evaluate = EXPRESSIONS[node.type] as Evaluate<AnyNode> | undefined;
  return evaluate === undefined ? unknown(`\`${node.type}\` is not followed`) : evaluate(node, scope, on);
}

const EXPRESSIONS: { readonly [T in AnyNode["type"]]?: Evaluate<Extract<AnyNode, { type: T }>> } = {
  Literal: ({ value, regex, bigint }) => (regex || bigint ? PLAINS : known(value)),
  Identifier: (node, scope, on) => {
    const { name } = node;
    const variable = scope.find(name);
    if (variable !== undefined) return on.state?.get(variable) ?? UNDEFINED;
    return outerKind(node, scope, on);
  },
  ThisExpression: (_, scope) => scope.frame.self,
  ParenthesizedExpression: ({ expression }, scope, on) => on.evaluate(expression, scope),
  ChainExpression: ({ expression }, scope, on) => on.evaluate(expression, scope),
  MemberExpression: (node, scope, on) => memberOf(node, scope, on).value,
  ImportExpression: (node, scope, on) => {
    on.evaluate(node.source, scope);
    on.strict?.refuse("async", node, scope);
    return unknown("a module is imported");
  },
  UnaryExpression: evaluateUnary,
  UpdateExpression: ({ argument, operator }, scope, on) => {
    on.coercion(on.evaluate(argument, scope), operator, argument, scope);
    on.assign(argument, PLAINS, scope);
    return PLAINS;
  },
  BinaryExpression: evaluateBinary,
  LogicalExpression: evaluateLogical,
  ConditionalExpression: evaluateConditional,
  AssignmentExpression: evaluateAssignment,
  SequenceExpression: ({ expressions }, scope, on) =>
    expressions.reduce((_, part) => on.evaluate(part, scope), UNDEFINED),
  TemplateLiteral: ({ expressions }, scope, on) => {
    for (const part of expressions) on.coercion(on.evaluate(part, scope), "template literal", part, scope);
    return PLAINS;
  },
  TaggedTemplateExpression: ({ tag, quasi }, scope, on) => {
    const { self, value } =
      tag.type === "MemberExpression"
        ? memberOf(tag, scope, on)
        : { self: UNDEFINED, value: on.evaluate(tag, scope) };
    const args = quasi.expressions.map((part) => on.evaluate(part, scope));
    return on.call(value, self, [PLAINS, ...args], tag, scope);
  },
  ClassExpression: evaluateClass,
  ArrayExpression: (node, scope, on) =>
    made(
      fillArray(
        siteOf(scope, node, () => makeObject("array")),
        node.elements,
        scope,
        on,
      ),
    ),
  ObjectExpression: evaluateObject,
  FunctionExpression: (node, scope) => closure(node, scope),
  ArrowFunctionExpression: (node, scope) => closure(node, scope),
  AwaitExpression: ({ argument }, scope, on) => on.evaluate(argument, scope),
  YieldExpression: ({ argument, delegate }, scope, on) => {
    const value = argument ? on.evaluate(argument, scope) : UNDEFINED;
    if (argument && delegate) on.hidden(value, "iterate", argument, scope);
    scope.frame.returns = join(scope.frame.returns, value);
    return unknown("what `yield` gives depends on the caller");
  },
  MetaProperty: (node, scope, on) => {
    if (node.meta.name === "import") on.strict?.refuse("host", node, scope);
    return PLAINS;
  },
};

/** Returns a variable that the checked code does not declare. */
function outerKind(node: Identifier, scope: Scope, on: Interpreter): Kind {
  const { name } = node;
  let closed: Kind | undefined;
  const value = globalKind(name, on.reachable, () => {
    closed = on.closed(name, scope);
    return closed;
  });
  on.strict?.read(name, closed, node, scope);
  if (on.strict !== undefined && closed === undefined && (value.flags & UNKNOWN) !== 0)
    on.unchecked("read", value.reason ?? "it is not known", node, scope);
  return value;
}

/** Returns a property with the object that it is read from. */
export function memberOf(
  node: MemberExpression,
  scope: Scope,
  on: Interpreter,
): { readonly self: Kind; readonly value: Kind } {
  const { object, property, computed, optional } = node;
  const isSuper = object.type === "Super";
  const self = isSuper ? scope.frame.self : on.evaluate(object, scope);
  const key = computed ? on.evaluate(property, scope) : known((property as { name: string }).name);
  if (computed) on.coercion(key, "[]", property, scope);
  if (isSuper) return { self, value: superMember(scope, key) };
  if (property.type === "PrivateIdentifier")
    return { self, value: privateMember(self, `#${property.name}`, node, scope, on) };
  const isEmpty = (value: unknown): boolean => value === null || value === undefined;
  on.strict?.readMember(self, key, node, scope);
  const value = on.member(optional ? without(self, isEmpty) : self, key, node, scope);
  return { self, value: optional && nullish(self) !== false ? join(value, UNDEFINED) : value };
}

/** Returns a property of the class above the one that has the running method. */
function superMember(scope: Scope, key: Kind): Kind {
  const { self, fn } = scope.frame;
  const name = primitive(key)?.value as string;
  const found = self.values.map((value): Kind => {
    let owner: object | null = value as object;
    while (owner !== null && !holds(owner, fn)) owner = Object.getPrototypeOf(owner) as object | null;
    const member = inheritedProperty(owner && (Object.getPrototypeOf(owner) as object | null), name);
    return member && member.get === undefined ? known(member.value) : unknown("`super` is not followed");
  });
  const ofInstance = self.objects.length > 0 ? superOfInstance(name, scope) : undefined;
  if (ofInstance !== undefined) found.push(ofInstance);
  return found.length === 0 ? unknown("`super` is not followed") : joinKinds(found);
}

const holds = (object: object, fn: unknown): boolean =>
  Object.values(Object.getOwnPropertyDescriptors(object)).some(({ value }) => value === fn);

const NUMERIC = new Set(["+", "-", "~"]);

function evaluateUnary(node: UnaryExpression, scope: Scope, on: Interpreter): Kind {
  const { operator, argument } = node;
  const value = on.evaluate(argument, scope);
  if (operator === "!") {
    on.condition(value, "!", argument, scope);
    const decided = truth(value);
    return decided === undefined ? PLAINS : known(!decided);
  }
  if (operator === "delete" && argument.type === "MemberExpression")
    on.strict?.assigned(on.evaluate(argument.object, scope), argument, scope);
  if (operator === "void") return UNDEFINED;
  if (operator === "typeof") return knownType(value);
  if (!NUMERIC.has(operator)) return PLAINS;
  on.coercion(value, operator, argument, scope);
  const number = primitive(value)?.value;
  return operator === "-" && typeof number === "number" ? known(-number) : PLAINS;
}

function knownType(value: Kind): Kind {
  const type = typeOf(value);
  return type === undefined ? PLAINS : known(type);
}

const IDENTITY = new Set(["===", "!==", "==", "!="]);

function evaluateBinary(node: BinaryExpression, scope: Scope, on: Interpreter): Kind {
  const { operator, left, right } = node;
  // `#field in object` has no value on its left.
  const a = left.type === "PrivateIdentifier" ? PLAINS : on.evaluate(left, scope);
  const b = on.evaluate(right, scope);
  if (IDENTITY.has(operator)) {
    on.identity(a, b, operator, node, scope);
    if (operator.length === 2) for (const side of [a, b]) on.hidden(side, "convert", node, scope);
    const same = identical(a, b, operator.length === 2);
    return same === undefined ? PLAINS : known(same === (operator[0] === "="));
  }
  if (operator === "instanceof") on.hidden(b, "instance", right, scope);
  if (operator === "in" || operator === "instanceof") return PLAINS;
  on.coercion(a, operator, left, scope);
  on.coercion(b, operator, right, scope);
  return computed(operator, a, b);
}

/** Returns whether two values are equal; undefined where it depends. */
function identical(a: Kind, b: Kind, isLoose: boolean): boolean | undefined {
  const [first, second] = [primitive(a), primitive(b)];
  if (first !== undefined && second !== undefined) {
    // biome-ignore lint/suspicious/noDoubleEquals: the checked code compares so
    return isLoose ? first.value == second.value : first.value === second.value;
  }
  const empty = [first, second].find((part) => part !== undefined && (part.value ?? null) === null);
  if (empty === undefined) return undefined;
  const other = first === empty ? b : a;
  if (isLoose) return nullish(other);
  const isSame = (value: unknown): boolean => value === empty.value;
  if (nullish(other) === false || (other.flags === 0 && !other.values.some(isSame))) return false;
  return other.flags === 0 && other.objects.length === 0 && other.values.every(isSame) ? true : undefined;
}

const OPERATIONS: Readonly<Record<string, (a: number, b: number) => unknown>> = {
  "+": (a: number, b: number) => a + b,
  "-": (a: number, b: number) => a - b,
  "*": (a: number, b: number) => a * b,
  "/": (a: number, b: number) => a / b,
  "%": (a: number, b: number) => a % b,
  "**": (a: number, b: number) => a ** b,
  "<": (a: number, b: number) => a < b,
  "<=": (a: number, b: number) => a <= b,
  ">": (a: number, b: number) => a > b,
  ">=": (a: number, b: number) => a >= b,
};

function computed(operator: string, a: Kind, b: Kind): Kind {
  const [first, second] = [primitive(a)?.value, primitive(b)?.value];
  const isSimple = typeof first === typeof second && (typeof first === "number" || typeof first === "string");
  const operation = OPERATIONS[operator];
  return isSimple && operation !== undefined ? known(operation(first as number, second as number)) : PLAINS;
}

function evaluateLogical(node: LogicalExpression, scope: Scope, on: Interpreter): Kind {
  const { operator, left, right } = node;
  const first = on.evaluate(left, scope);
  if (operator !== "??") on.condition(first, operator, left, scope);
  const second = (): Kind => {
    if (operator !== "??") narrow(left, operator === "&&", scope, on);
    return on.evaluate(right, scope);
  };
  return shortCircuit(operator, first, second, on);
}

/** Returns the value of `a && b`, `a || b` or `a ?? b`. */
function shortCircuit(operator: string, first: Kind, second: () => Kind, on: Interpreter): Kind {
  const decided = operator === "??" ? nullish(first) : truth(first);
  const goesOn = decided === undefined ? undefined : operator === "||" ? !decided : decided;
  if (goesOn === false) return first;
  if (goesOn === true) return second();
  const [, other] = branch(on, () => NOTHING, second);
  const isLeft = (value: unknown): boolean =>
    operator === "??" ? (value ?? null) !== null : Boolean(value) === (operator === "||");
  return join(
    without(first, (value) => !isLeft(value)),
    other,
  );
}

function evaluateConditional(node: ConditionalExpression, scope: Scope, on: Interpreter): Kind {
  const { test, consequent, alternate } = node;
  const value = on.evaluate(test, scope);
  on.condition(value, "?:", test, scope);
  const decided = truth(value);
  if (decided !== undefined) return on.evaluate(decided ? consequent : alternate, scope);
  return joinKinds(
    branch(
      on,
      () => {
        narrow(test, true, scope, on);
        return on.evaluate(consequent, scope);
      },
      () => {
        narrow(test, false, scope, on);
        return on.evaluate(alternate, scope);
      },
    ),
  );
}

function evaluateAssignment(node: AssignmentExpression, scope: Scope, on: Interpreter): Kind {
  const { operator, left, right } = node;
  if (operator === "=") {
    const value = on.evaluate(right, scope);
    on.assign(left, value, scope);
    return value;
  }
  const before = on.evaluate(left, scope);
  const logical = /^(&&|\|\||\?\?)=$/.exec(operator)?.[1];
  if (logical !== undefined) {
    if (logical !== "??") on.condition(before, operator, left, scope);
    const value = shortCircuit(logical, before, () => on.evaluate(right, scope), on);
    on.assign(left, value, scope);
    return value;
  }
  const operand = on.evaluate(right, scope);
  on.coercion(before, operator, left, scope);
  on.coercion(operand, operator, right, scope);
  const value = computed(operator.slice(0, -1), before, operand);
  on.assign(left, value, scope);
  return value;
}

/** Puts expressions into an array; arguments of calls are evaluated likewise. */
export function fillArray(
  array: AbstractObject,
  elements: readonly (Expression | SpreadElement | null)[],
  scope: Scope,
  on: Interpreter,
): AbstractObject {
  let isIndexed = true;
  let count = 0;
  const add = (value: Kind): void => {
    on.spend(1);
    if (isIndexed) put(array, String(count++), value);
    else array.element = join(array.element, value);
  };
  for (const element of elements) {
    if (element?.type !== "SpreadElement") {
      add(element === null ? UNDEFINED : on.evaluate(element, scope));
      continue;
    }
    const list = on.evaluate(element.argument, scope);
    on.hidden(list, "iterate", element, scope);
    const items = itemsOf(list);
    isIndexed &&= items !== undefined;
    for (const item of items ?? [on.elements(list)]) add(item);
  }
  return array;
}

/**
 * Returns the items of a list by their places; undefined where it may be another one, or a longer
 * one.
 */
function itemsOf({ flags, values, objects }: Kind): Kind[] | undefined {
  const [object] = objects;
  const isList = flags === 0 && values.length === 0 && objects.length === 1 && object!.type === "array";
  if (!isList || object!.element !== NOTHING || (object!.name ?? "Array") !== "Array") return undefined;
  const { props } = object!;
  const items = Array.from({ length: props.size }, (_, i) => props.get(String(i)));
  return items.every((item) => item !== undefined) ? items : undefined;
}

function evaluateObject(node: ObjectExpression, scope: Scope, on: Interpreter): Kind {
  const record = siteOf(scope, node, () => makeObject("record"));
  for (const property of node.properties) {
    if (property.type === "SpreadElement") {
      const spread = on.evaluate(property.argument, scope);
      on.hidden(spread, "read", property, scope);
      on.strict?.readMember(spread, PLAINS, property, scope);
      spreadInto(record, spread);
    } else {
      const { key, computed: isComputed } = property;
      const name = isComputed
        ? primitive(on.evaluate(key, scope))?.value
        : key.type === "Identifier"
          ? key.name
          : (key as { value?: unknown }).value;
      const value =
        property.kind === "init"
          ? on.evaluate(property.value, scope)
          : accessor(made(record), property.value, scope, on);
      if (name === undefined) record.element = join(record.element, value);
      else put(record, String(name), value);
    }
  }
  return made(record);
}

/** Returns what an accessor gives, which is not followed; what it does is taken note of. */
function accessor(record: Kind, fn: AnyNode, scope: Scope, on: Interpreter): Kind {
  const given = [unknown("what a setter is given")];
  runAnyTimes(on, () => on.call(closure(fn, scope), record, given, fn, scope));
  return unknown("a getter");
}
