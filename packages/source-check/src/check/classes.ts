/** @file Classes of the checked source: what evaluating one and making an object of one runs. */

import { Tensor } from "@sconce/tensor";
import type { AnyNode, Class, Function as FunctionNode, MethodDefinition, PropertyDefinition } from "acorn";
import { privateField } from "../source/closure-values.js";
import { type AnyFunction, isNative, parseClass } from "../source/parse-function.js";
import {
  type ClassBody,
  closure,
  type Interpreter,
  newFrame,
  runAnyTimes,
  Scope,
  setVariable,
  siteOf,
} from "./interpreter.js";
import {
  type AbstractObject,
  join,
  joinKinds,
  type Kind,
  known,
  made,
  makeObject,
  NOTHING,
  PLAINS,
  primitive,
  UNDEFINED,
  unknown,
} from "./kinds.js";
import { isModule, ownValues } from "./own-values.js";
import { inheritedProperty, isObject, prototypesOf } from "./prototypes.js";

type Member = MethodDefinition | PropertyDefinition;

/** Evaluates a class: its base, its computed names, and what is static in it. */
export function evaluateClass(node: Class, scope: Scope, on: Interpreter): Kind {
  const object = siteOf(scope, node as AnyNode, () => ({
    type: "class",
    props: new Map(),
    element: NOTHING,
    node,
  }));
  const value = made(object);
  const inner = new Scope(scope, scope.frame);
  if (node.id) setVariable(on, inner.declare(node.id.name), value);
  const base = node.superClass ? on.evaluate(node.superClass, inner) : undefined;
  const body: ClassBody = { node, scope: inner, base, keys: new Map() };
  object.closure = body;
  const statics = insideOf(body, value, undefined);
  for (const part of node.body.body) {
    if (part.type === "StaticBlock") on.run({ ...part, type: "BlockStatement" }, statics);
    else {
      if (part.computed) computedName(part, body, on);
      if (part.static) define(object, part, body, statics, on);
    }
  }
  return value;
}

function computedName(part: Member, { keys, scope }: ClassBody, on: Interpreter): void {
  const name = on.evaluate(part.key, scope);
  on.coercion(name, "[]", part.key, scope);
  keys.set(part, name);
}

/** Returns the names that code of a class body sees, with `this`. */
function insideOf(home: ClassBody, self: Kind, fn: AnyFunction | undefined): Scope {
  const { source, sites, fn: around } = home.scope.frame;
  return new Scope(home.scope, { ...newFrame(source, self, fn ?? around, home), sites }, true);
}

/** Returns the name of a part of a class; undefined where it is not known. */
function nameOf(part: Member, { keys }: ClassBody): string | undefined {
  const { key } = part;
  const computed = keys.get(part);
  if (computed !== undefined) {
    const name = primitive(computed);
    return name && String(name.value);
  }
  if (key.type === "PrivateIdentifier") return `#${key.name}`;
  return key.type === "Identifier" ? key.name : String((key as { value?: unknown }).value);
}

/** Gives an object a part of a class. */
function define(object: AbstractObject, part: Member, body: ClassBody, scope: Scope, on: Interpreter): void {
  const name = nameOf(part, body);
  const value = memberValue(made(object), part, scope, on);
  if (name === undefined) object.element = join(object.element, value);
  else object.props.set(name, value);
}

function memberValue(self: Kind, part: Member, scope: Scope, on: Interpreter): Kind {
  if (part.type === "PropertyDefinition") return part.value ? on.evaluate(part.value, scope) : UNDEFINED;
  return part.kind === "method" ? closure(part.value, scope) : runAccessor(self, part, scope, on);
}

/** Returns what an accessor gives, which may change; what it does is taken note of. */
function runAccessor(self: Kind, part: MethodDefinition, scope: Scope, on: Interpreter): Kind {
  const args = part.kind === "set" ? [unknown("what a setter is given")] : [];
  runAnyTimes(on, () => on.call(closure(part.value, scope), self, args, part, scope));
  return unknown("a getter");
}

/** Makes an object of a class of the checked code; undefined where the class is another one. */
export function makeInstance(
  type: Kind,
  args: readonly Kind[],
  node: AnyNode,
  scope: Scope,
  on: Interpreter,
): Kind | undefined {
  const [value] = type.values;
  const [object] = type.objects;
  if (type.flags !== 0 || type.values.length + type.objects.length !== 1) return undefined;
  if (object === undefined ? !isUserClass(value) : object.type !== "class" && object.type !== "function")
    return undefined;
  const instance = siteOf(scope, node as AnyNode, () => makeObject("record"));
  instance.props.set("constructor", type);
  const self = made(instance);
  const isWhole = initialize(type, self, instance, args, node, scope, on);
  return isWhole ? self : unknown("an object of a class that is not followed");
}

/** Returns whether a value is a class or a constructor of the user's that makes no module. */
function isUserClass(value: unknown): value is AnyFunction {
  if (typeof value !== "function" || isModule(value) || isNative(value as AnyFunction)) return false;
  for (const at of prototypesOf(value))
    if (Object.hasOwn(at, "torchClass") || at === ownValues().Module || at === Tensor) return false;
  return true;
}

/** Runs the constructors of a class for an object; whether all of them are followed. */
function initialize(
  type: Kind,
  self: Kind,
  instance: AbstractObject,
  args: readonly Kind[],
  node: AnyNode,
  scope: Scope,
  on: Interpreter,
): boolean {
  const [value] = type.values;
  const [object] = type.objects;
  if (object?.type === "class") return construct(object.closure as ClassBody, self, instance, args, node, on);
  if (object !== undefined) {
    on.call(type, self, args, node, scope);
    return true;
  }
  if (!isUserClass(value)) {
    if (value !== Object) on.strict?.called(value, args, node, scope);
    return value === Object;
  }
  const body = classBodyOf(value, on);
  addMethods(instance, value);
  const isWhole =
    body === undefined
      ? on.follow(value, self, args) !== undefined
      : construct(body, self, instance, args, node, on, value);
  runAccessors(instance, value, self, on);
  return isWhole;
}

/** Returns the body of a class that is a value; undefined where it has no source. */
function classBodyOf(type: AnyFunction, on: Interpreter): ClassBody | undefined {
  const parsed = parseClass(type);
  if (parsed === null) return undefined;
  const { node, source, start } = parsed;
  const scope = on.scopeOf(type, { name: type.name || "<anonymous>", text: source, start });
  const base = node.superClass ? known(Object.getPrototypeOf(type)) : undefined;
  return { node, scope, base, keys: new Map() };
}

function construct(
  body: ClassBody,
  self: Kind,
  instance: AbstractObject,
  args: readonly Kind[],
  node: AnyNode,
  on: Interpreter,
  type?: AnyFunction,
): boolean {
  const scope = insideOf(body, self, type);
  const parts = body.node.body.body;
  // The prototype of a class that is a value has the methods that are not private.
  const isOwn = (part: Member): boolean => type === undefined || part.key.type === "PrivateIdentifier";
  for (const part of parts)
    if (part.type === "MethodDefinition" && !part.static && part.kind === "method" && isOwn(part))
      if (!instance.props.has(nameOf(part, body) ?? ""))
        // A class below may have replaced the method.
        define(instance, part, body, scope, on);
  const own = parts.find((part) => part.type === "MethodDefinition" && part.kind === "constructor");
  let isWhole = true;
  const goesOn = own === undefined && body.base !== undefined;
  if (goesOn) isWhole = initialize(body.base, self, instance, args, node, scope, on);
  for (const part of parts)
    if (part.type === "PropertyDefinition" && !part.static) define(instance, part, body, scope, on);
  if (own !== undefined) on.activate((own as MethodDefinition).value as FunctionNode, scope, self, args);
  for (const part of parts)
    if (part.type === "MethodDefinition" && !part.static && /^[gs]et$/.test(part.kind) && isOwn(part))
      define(instance, part, body, scope, on);
  // The constructor calls `super`, which may be a class of the language.
  if (own !== undefined && body.base !== undefined) return isFollowed(body.base);
  return isWhole;
}

/** Returns whether a class and all above it have a source. */
function isFollowed(type: Kind): boolean {
  const [value] = type.values;
  const [object] = type.objects;
  if (object?.type === "class") {
    const { base } = object.closure as ClassBody;
    return base === undefined || isFollowed(base);
  }
  if (object !== undefined || value === Object) return true;
  if (!isUserClass(value)) return false;
  const above = Object.getPrototypeOf(value) as unknown;
  return above === Function.prototype || isFollowed(known(above));
}

/** Returns the parts of the prototype of a class that is a value, by their names. */
function membersOf(type: AnyFunction): (readonly [name: string, own: PropertyDescriptor])[] {
  const prototype = (type as { readonly prototype?: object }).prototype ?? {};
  return Reflect.ownKeys(prototype)
    .filter((name) => name !== "constructor")
    .map((name) => [String(name), Object.getOwnPropertyDescriptor(prototype, name)!]);
}

/** Gives an object the methods of a class that is a value, where no class below has them. */
function addMethods({ props }: AbstractObject, type: AnyFunction): void {
  for (const [name, { value, get, set }] of membersOf(type))
    if (!props.has(name))
      props.set(name, get === undefined && set === undefined ? known(value) : unknown("a getter"));
}

/** Runs the getters and setters of a class that is a value. */
function runAccessors({ props }: AbstractObject, type: AnyFunction, self: Kind, on: Interpreter): void {
  const given = [unknown("what a setter is given")];
  for (const [name, { get, set }] of membersOf(type)) {
    if (get !== undefined) {
      const result = runAnyTimes(on, () => on.follow(get as AnyFunction, self, []) ?? PLAINS);
      props.set(name, join(props.get(name) ?? NOTHING, result));
    }
    if (set !== undefined) runAnyTimes(on, () => on.follow(set as AnyFunction, self, given) ?? PLAINS);
  }
}

/** `super(...)`: runs the constructors above the one that runs. */
export function callSuper(args: readonly Kind[], node: AnyNode, scope: Scope, on: Interpreter): Kind {
  const { home, self } = scope.frame;
  const [instance] = self.objects;
  if (home?.base === undefined || instance === undefined) return PLAINS;
  initialize(home.base, self, instance, args, node, scope, on);
  return self;
}

/** Returns a property of the class above, for an object that the code makes. */
export function superOfInstance(name: string, { frame: { home, self, fn } }: Scope): Kind | undefined {
  let base = home?.base;
  if (home === undefined) {
    const [type] = self.objects[0]?.props.get("constructor")?.values ?? [];
    return typeof type === "function" ? aboveOf(type as AnyFunction, fn, name) : undefined;
  }
  while (base !== undefined) {
    const [object] = base.objects;
    const [value] = base.values;
    if (object?.type !== "class")
      return typeof value === "function" ? methodOf(value as AnyFunction, name) : undefined;
    const body = object.closure as ClassBody;
    const part = body.node.body.body.find(
      (one): one is MethodDefinition =>
        one.type === "MethodDefinition" && !one.static && one.kind === "method" && nameOf(one, body) === name,
    );
    if (part !== undefined) return closure(part.value, body.scope);
    base = body.base;
  }
  return undefined;
}

/** Returns a method that objects of a class have. */
function methodOf(type: AnyFunction, name: string): Kind | undefined {
  const { prototype = null } = type as { readonly prototype?: object };
  const found = inheritedProperty(prototype, name);
  return found && found.get === undefined ? known(found.value) : undefined;
}

/** Returns a method of the class above the one that has the running function. */
function aboveOf(type: AnyFunction, fn: AnyFunction | undefined, name: string): Kind | undefined {
  for (let at: unknown = type; typeof at === "function"; at = Object.getPrototypeOf(at)) {
    const own = Object.getOwnPropertyDescriptors((at as { readonly prototype?: object }).prototype ?? {});
    if (Object.values(own).some(({ value, get, set }) => [value, get, set].includes(fn)))
      return methodOf(Object.getPrototypeOf(at) as AnyFunction, name);
  }
  return undefined;
}

/** Returns a private member of a value: `#scale`. Accessors are run. */
export function privateMember(self: Kind, name: string, node: AnyNode, scope: Scope, on: Interpreter): Kind {
  const parts = [
    ...self.objects.map((one) => one.props.get(name) ?? NOTHING),
    ...self.values.map((value) => privateOf(value, name, node, scope, on)),
  ];
  const found = joinKinds(parts);
  return self.flags === 0 && found !== NOTHING ? found : join(found, unknown(`\`${name}\` is private`));
}

function privateOf(value: unknown, name: string, node: AnyNode, scope: Scope, on: Interpreter): Kind {
  if (!isObject(value)) return NOTHING;
  const [body, parts] = privateParts(value, name, on);
  if (body === undefined) return unknown(`\`${name}\` is private`);
  const self = known(value);
  const inner = insideOf(body, self, undefined);
  const [part] = parts;
  if (part?.type === "MethodDefinition") {
    if (part.kind === "method") return closure(part.value, inner);
    const getter = accessorIn(parts, "get");
    return getter === undefined ? UNDEFINED : on.call(closure(getter.value, inner), self, [], node, scope);
  }
  const field = privateField(value, name);
  if (field === undefined) return unknown(`\`${name}\` is private`);
  return field.known ? known(field.value) : PLAINS;
}

/** Returns the parts of the class of a value that declare a private name. */
function privateParts(
  value: object,
  name: string,
  on: Interpreter,
): readonly [ClassBody | undefined, readonly Member[]] {
  const types: unknown[] = typeof value === "function" ? [value] : [];
  for (const at of prototypesOf(value)) if (Object.hasOwn(at, "constructor")) types.push(at.constructor);
  for (const type of types) {
    const body = typeof type === "function" ? classBodyOf(type as AnyFunction, on) : undefined;
    const parts = (body?.node.body.body ?? []).filter(
      (part): part is Member =>
        part.type !== "StaticBlock" && part.key.type === "PrivateIdentifier" && `#${part.key.name}` === name,
    );
    if (parts.length > 0) return [body, parts];
  }
  return [undefined, []];
}

const accessorIn = (parts: readonly Member[], kind: "get" | "set"): MethodDefinition | undefined =>
  parts.find((part): part is MethodDefinition => part.type === "MethodDefinition" && part.kind === kind);

/** Runs the setter of a private name, where the class of a value has one. */
export function setPrivate(
  self: Kind,
  name: string,
  value: Kind,
  node: AnyNode,
  scope: Scope,
  on: Interpreter,
): void {
  for (const owner of self.values) {
    if (!isObject(owner)) continue;
    const [body, parts] = privateParts(owner, name, on);
    const setter = accessorIn(parts, "set");
    if (body !== undefined && setter !== undefined)
      on.call(
        closure(setter.value, insideOf(body, known(owner), undefined)),
        known(owner),
        [value],
        node,
        scope,
      );
  }
}
