/** @file Assignments of the checked source: to names, properties and patterns. */
import type { AnyNode, AssignmentProperty, MemberExpression, ObjectPattern } from "acorn";
import { setPrivate } from "./classes.js";
import { type Interpreter, type Scope, setVariable, widen } from "./interpreter.js";
import {
  type AbstractObject,
  join,
  type Kind,
  known,
  made,
  makeObject,
  NOTHING,
  PLAIN,
  PLAINS,
  primitive,
  UNKNOWN,
  unknown,
  without,
} from "./kinds.js";
import { isProxy, PROXY } from "./proxies.js";

/** Sets a property of an object. */
export const put = ({ props }: AbstractObject, key: string, value: Kind): void =>
  void props.set(key, join(props.get(key) ?? NOTHING, value));

/** Copies the properties of a value into a record. */
export function spreadInto(record: AbstractObject, { values, objects, flags }: Kind): void {
  for (const value of values) {
    if (typeof value !== "object" || value === null) continue;
    if (isProxy(value)) {
      widen(record, unknown(PROXY));
      continue;
    }
    for (const [name, { value: item, get }] of Object.entries(Object.getOwnPropertyDescriptors(value)))
      put(record, name, get === undefined ? known(item) : unknown("a getter"));
  }
  for (const object of objects) {
    for (const [name, item] of object.props) put(record, name, item);
    record.element = join(record.element, object.element);
  }
  if ((flags & ~PLAIN) !== 0) widen(record, unknown("what is spread is not known"));
}

/** Assigns to a name, a property or a pattern. */
export function assignTo(
  target: AnyNode,
  value: Kind,
  scope: Scope,
  on: Interpreter,
  declares?: "let" | "var",
): void {
  const to = (part: AnyNode, kind: Kind): void => assignTo(part, kind, scope, on, declares);
  if (target.type === "Identifier") {
    const variable = variableFor(target.name, scope, declares);
    if (variable === undefined) {
      on.setClosed(target.name, value);
      on.strict?.refuse("outer-write", target, scope);
    } else setVariable(on, variable, value);
  } else if (target.type === "MemberExpression") assignMember(target, value, scope, on);
  else if (target.type === "RestElement") to(target.argument, value);
  else if (target.type === "AssignmentPattern") {
    const given = without(value, (item) => item === undefined);
    const isGiven = given === value && (value.flags & (PLAIN | UNKNOWN)) === 0;
    to(target.left, isGiven ? value : join(given, on.evaluate(target.right, scope)));
  } else if (target.type === "ArrayPattern") {
    on.hidden(value, "iterate", target, scope);
    for (const [i, element] of target.elements.entries())
      if (element?.type === "RestElement") to(element, made(makeObject("array", on.elements(value))));
      else if (element !== null) to(element, on.member(value, known(String(i)), element, scope));
  } else if (target.type === "ObjectPattern") assignProperties(target, value, scope, on, to);
}

/** Assigns to a property, and runs its setter. */
function assignMember(target: MemberExpression, value: Kind, scope: Scope, on: Interpreter): void {
  const { object: owner, property } = target;
  const object = owner.type === "Super" ? scope.frame.self : on.evaluate(owner, scope);
  const key = keyOf(target, scope, on);
  if (target.computed) on.coercion(key, "[]", property, scope);
  on.setMember(object, key, value);
  if (property.type === "PrivateIdentifier")
    setPrivate(object, `#${property.name}`, value, target, scope, on);
  on.strict?.assigned(object, target, scope);
  // A shorter list has fewer items to iterate over.
  if (primitive(key)?.value === "length") on.strict?.mutated(object, target, scope);
}

function assignProperties(
  { properties }: ObjectPattern,
  value: Kind,
  scope: Scope,
  on: Interpreter,
  to: (part: AnyNode, kind: Kind) => void,
): void {
  for (const property of properties) {
    if (property.type === "RestElement") {
      const rest = makeObject("record");
      on.hidden(value, "read", property, scope);
      on.strict?.readMember(value, PLAINS, property, scope);
      spreadInto(rest, value);
      to(property, made(rest));
    } else {
      const key = keyOf(property, scope, on);
      if (property.computed) on.coercion(key, "[]", property.key, scope);
      on.strict?.readMember(value, key, property, scope);
      to(property.value, on.member(value, key, property, scope));
    }
  }
}

/** Returns the key of a property in a pattern or behind an object. */
function keyOf(node: MemberExpression | AssignmentProperty, scope: Scope, on: Interpreter): Kind {
  const key = node.type === "MemberExpression" ? node.property : node.key;
  if (node.computed) return on.evaluate(key, scope);
  if (key.type === "PrivateIdentifier") return known(`#${key.name}`);
  if (key.type !== "Literal") return known((key as { name: string }).name);
  return known(typeof key.value === "string" ? key.value : (key.raw ?? ""));
}

/** Returns the variable of a name; undefined for a name outside of the function. */
function variableFor(name: string, scope: Scope, declares: "let" | "var" | undefined): object | undefined {
  if (declares === undefined) return scope.find(name);
  let owner = scope;
  while (declares === "var" && !owner.isFunction && owner.parent !== undefined) owner = owner.parent;
  return owner.declare(name);
}
