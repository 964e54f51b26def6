/** @file Calls in the checked source. */

import type { ExportedProgram, TreeSpec } from "@sconce/ir";
import { callingConvention } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import type { AnyNode, CallExpression, Function as FunctionNode, NewExpression } from "acorn";
import type { AnyFunction } from "../source/parse-function.js";
import { ARRAY_METHODS, builtinResult, givesName } from "./builtins.js";
import { isUserFunction, runCallbacks } from "./callbacks.js";
import { callSuper } from "./classes.js";
import { arrayLength, construct, isTensorType } from "./construct.js";
import { fillArray, memberOf } from "./expressions.js";
import { isIntrinsic, LOCALIZED } from "./host-functions.js";
import { type Bound, indirectCall, useIntrinsic } from "./indirect-calls.js";
import { elementOf, type Interpreter, runAnyTimes, type Scope, siteOf, widen } from "./interpreter.js";
import {
  type AbstractObject,
  arrayOf,
  fresh,
  join,
  joinKinds,
  type Kind,
  known,
  listOf,
  makeObject,
  mayBeSym,
  NOTHING,
  PLAIN,
  PLAINS,
  primitive,
  SIZE,
  SIZES,
  SYM,
  SYMS,
  TENSOR,
  TENSORS,
  UNDEFINED,
  UNKNOWN,
  unknown,
} from "./kinds.js";
import { isStaticSize } from "./narrow.js";
import { customResult, functionResult, methodResult } from "./operator-results.js";
import { operatorReturns, ownFunctionName } from "./own-functions.js";
import { isModule, type OwnModule, ownValues } from "./own-values.js";
import { prototypesOf } from "./prototypes.js";
import { isProxy, PROXY } from "./proxies.js";

/** Evaluates a call: the function, its arguments, and what it does with them. */
export function evaluateCall(node: CallExpression | NewExpression, scope: Scope, on: Interpreter): Kind {
  const { callee } = node;
  if (callee.type === "Super") return callSuper(evaluateArguments(node, scope, on), node, scope, on);
  const { self, value } =
    callee.type === "MemberExpression"
      ? memberOf(callee, scope, on)
      : { self: UNDEFINED, value: on.evaluate(callee, scope) };
  const args = evaluateArguments(node, scope, on);
  if (callee.type === "MemberExpression" && (callee.property as { name?: string }).name === "toString")
    on.coercion(self, "String", callee.object, scope);
  if (node.type === "NewExpression") return construct(value, args, node, scope, on);
  return on.call(value, self, args, node, scope);
}

function evaluateArguments(node: CallExpression | NewExpression, scope: Scope, on: Interpreter): Kind[] {
  if (!node.arguments.some(({ type }) => type === "SpreadElement"))
    return node.arguments.map((argument) => on.evaluate(argument, scope));
  const array = fillArray(makeObject("array"), node.arguments, scope, on);
  const items = [...array.props.values()];
  // How many items a spread gives is not known: each place behind it may hold any of them.
  return [...items, ...Array.from({ length: 8 }, () => join(array.element, UNDEFINED))];
}

/** Functions that run what they are given in a mode. */
const MODES = ["noGrad", "enableGrad", "setGradEnabled", "inferenceMode", "autocast", "cached"];
/** Functions that look at sizes and values, and give numbers, booleans or nothing. */
const GIVES_PLAINS = new Set([
  "check",
  "checkIsSize",
  "constrainAsSize",
  "constrainAsValue",
  "guard",
  "guardInt",
  "manualSeed",
]);
/** Functions whose result is that of the functions that they are given. */
const GIVES_RESULTS = new Set([
  ...MODES,
  "cond",
  "switch",
  "checkpoint",
  "whileLoop",
  "map",
  "scan",
  "associativeScan",
]);

/** Calls what a value may be. */
export function callKind(
  callee: Kind,
  self: Kind,
  args: readonly Kind[],
  node: AnyNode,
  scope: Scope,
  on: Interpreter,
): Kind {
  const parts = callee.values.map((value) => callValue(value, self, args, node, scope, on));
  for (const object of callee.objects) parts.push(callObject(object, self, args, node, scope, on));
  if (callee.flags & PLAIN) {
    callPlain(args, node, scope, on);
    parts.push(PLAINS);
  }
  if (callee.flags & (SIZE | SYM)) parts.push({ ...NOTHING, flags: callee.flags & (SIZE | SYM) });
  if (callee.flags & TENSOR) parts.push(TENSORS);
  if (callee.flags & UNKNOWN) {
    on.unchecked("call", callee.reason ?? "the function is not known", node, scope);
    runCallbacks(args, undefined, on, node, scope);
    parts.push(unknown(`the result of a function that is not followed`));
  }
  return joinKinds(parts);
}

/** Calls a method of a number or a text. */
function callPlain(args: readonly Kind[], node: AnyNode, scope: Scope, on: Interpreter): void {
  runCallbacks(args, undefined, on, node, scope);
  const { callee } = node as Partial<CallExpression>;
  const name = callee?.type === "MemberExpression" && (callee.property as { readonly name?: string }).name;
  if (typeof name === "string" && LOCALIZED.test(name)) on.strict?.refuse("host", node, scope);
  for (const arg of args) on.hidden(arg, "convert", node, scope);
}

function callObject(
  object: AbstractObject,
  self: Kind,
  args: readonly Kind[],
  node: AnyNode,
  scope: Scope,
  on: Interpreter,
): Kind {
  if (object.type === "function")
    return on.activate(object.node as FunctionNode, object.closure as Scope, self, args);
  if (object.type === "bound") {
    const { target, given, before } = object.closure as Bound;
    return on.call(target, given, [...before, ...args], node, scope);
  }
  if (object.type === "namespace") return callNamespace(object.name!, args, node, scope, on);
  if (object.type !== "method") return unknown("what is called is not a function");
  on.strict?.countOperator();
  runCallbacks(args, [TENSORS], on, node, scope);
  on.noteOperator(object.name!);
  on.numbers(object.name!, true, node, scope);
  return atSite(node, scope, methodResult(object.name!, object.closure, args));
}

/** Returns a function of Sconce's. */
function callNamespace(
  name: string,
  args: readonly Kind[],
  node: AnyNode,
  scope: Scope,
  on: Interpreter,
): Kind {
  const path = name.split(".");
  const last = path.at(-1)!;
  if (GIVES_PLAINS.has(last)) return PLAINS;
  if (last === "isStatic") return staticKind(args[0]);
  if (last === "isSym") return PLAINS;
  if (path.includes("sym")) return symbolicResult(args, on);
  const member = (list: Kind, i: number): Kind => on.member(list, known(i), node, scope);
  const operands = flowOperands(last, args, member);
  const functions = last === "switch" && args[1] !== undefined ? itemsOf(args[1], member) : args;
  const given = runCallbacks(functions, operands ?? [TENSORS, TENSORS, TENSORS, TENSORS], on, node, scope);
  if (last === "cond" || last === "switch" || last === "whileLoop") openResults(given);
  if (GIVES_RESULTS.has(last)) return given;
  if (last === "tuple" || last === "pythonTuple") return arrayOf(joinKinds(args));
  if (last === "float") return PLAINS;
  return path.length === 1 && last !== "Tensor" && last !== "callOperator"
    ? unknown(`\`${name}\` is not followed`)
    : operatorResult(last, node, scope, on);
}

/** Operands of a function of control flow that the check follows. */
const MOST_OPERANDS = 16;

/** Returns the first items of a list. */
const itemsOf = (list: Kind, member: (list: Kind, i: number) => Kind): readonly Kind[] =>
  Array.from({ length: MOST_OPERANDS }, (_, i) => member(list, i));

/** Returns a kind whose numbers may be dynamic: those that control flow takes or gives may be. */
const openNumbers = (kind: Kind): Kind =>
  kind.values.some((value) => typeof value === "number") ? join(kind, SYMS) : kind;

/** Containers in containers that are followed. */
const MOST_DEPTH = 4;

/** Inside of a nested graph a known tensor is another one, and a number may be dynamic. */
function opened(kind: Kind, depth = MOST_DEPTH): Kind {
  const own = kind.values.some((value) => value instanceof Tensor) ? join(kind, TENSORS) : openNumbers(kind);
  if (own.objects.length === 0 || depth === 0) return own;
  return { ...own, objects: own.objects.map((object) => openedObject(object, depth - 1)) };
}

/** Returns a copy of a container: what the function writes to it stays there. */
function openedObject(object: AbstractObject, depth: number): AbstractObject {
  if (object.type !== "array" && object.type !== "record") return object;
  const props = new Map([...object.props].map(([key, value]) => [key, opened(value, depth)]));
  return { ...object, props, element: opened(object.element, depth) };
}

/**
 * Returns the arguments of the functions that control flow is given; undefined for other functions.
 */
function flowOperands(
  name: string,
  args: readonly Kind[],
  member: (list: Kind, i: number) => Kind,
): readonly Kind[] | undefined {
  const at = (i: number): Kind => opened(args[i] ?? UNDEFINED);
  const items = (list: Kind | undefined): readonly Kind[] =>
    list === undefined ? [] : itemsOf(list, member).map((item) => opened(item));
  if (name === "cond") return items(args[3]);
  if (name === "switch") return items(args[2]);
  // What a loop carries and is not a tensor is an integer.
  if (name === "whileLoop")
    return items(args[2]).map((item) => (item.flags & PLAIN ? join(item, SYMS) : item));
  if (name === "checkpoint") return args.slice(1);
  if (name === "map") return [at(1), ...args.slice(2).map((arg) => opened(arg))];
  if (name === "scan") return [at(1), at(2)];
  return name === "associativeScan" ? [at(1), at(1)] : undefined;
}

/** Numbers among the results of control flow are dynamic. */
function openResults({ objects }: Kind): void {
  for (const { type, props } of objects)
    if (type === "array" || type === "record")
      for (const [key, value] of props) props.set(key, openNumbers(value));
}

function operatorResult(name: string, node: AnyNode, scope: Scope, on: Interpreter): Kind {
  on.strict?.countOperator();
  on.noteOperator(name);
  on.numbers(name, false, node, scope);
  return atSite(node, scope, functionResult(name));
}

/** Returns an operator of the user's: its fake may make sizes that only the data decide. */
function customOperator(returns: string, node: AnyNode, scope: Scope, on: Interpreter): Kind {
  on.noteOperator("nonzero");
  return atSite(node, scope, customResult(returns));
}

/** Returns a result whose arrays belong to the call: one for all times that it runs. */
function atSite(node: AnyNode, scope: Scope, result: Kind): Kind {
  const [object] = result.objects;
  if (object === undefined) return result;
  return { ...result, objects: [siteOf(scope, node, () => fresh(result).objects[0]!)] };
}

/** `sym.isStatic(size)`. */
function staticKind(size: Kind = UNDEFINED): Kind {
  const decided = isStaticSize(size);
  return decided === undefined ? PLAINS : known(decided);
}

/** Arithmetic of sizes is dynamic where an operand is. */
function symbolicResult(args: readonly Kind[], on: Interpreter): Kind {
  const operands = args.flatMap((arg) => [arg, ...arg.objects.map(elementOf)]);
  if (operands.some(mayBeSym)) return SYMS;
  const isOpen = operands.some(({ flags }) => (flags & (SIZE | UNKNOWN)) !== 0);
  return isOpen && on.hasSymbols ? SIZES : PLAINS;
}

function callValue(
  value: unknown,
  self: Kind,
  args: readonly Kind[],
  node: AnyNode,
  scope: Scope,
  on: Interpreter,
): Kind {
  if (isModule(value)) return callModule(value, args, on);
  if (typeof value !== "function") return NOTHING;
  if (isProxy(value)) {
    on.unchecked("call", PROXY, node, scope);
    return unknown(PROXY);
  }
  const indirect = indirectCall(value as AnyFunction, self, args, node, scope, on);
  if (indirect !== undefined) return indirect;
  if (value === Array) {
    arrayLength(args, node, scope, on);
    return arrayOf(joinKinds(args));
  }
  // Strict mode refuses writes to what is outside of the model.
  if (givesName(value, args) && (on.strict === undefined || args[0]!.values.length === 0)) return args[0]!;
  const arrayMethod = ARRAY_METHODS.get(value as AnyFunction);
  if (arrayMethod !== undefined) return arrayMethod({ self, args, node, scope, on });
  if (on.strict?.called(value, args, node, scope)) return PLAINS;
  if (on.strict !== undefined && isIntrinsic(value)) useIntrinsic(value, self, args, node, scope, on);
  const builtin = builtinResult(value as AnyFunction, { self, args, node, scope, on });
  if (builtin !== undefined) return builtin;
  if (isTensorType(value) || self.values.some(isTensorType)) return TENSORS;
  const ofModule = callModuleMethod(value as AnyFunction, self, args, node, scope, on);
  if (ofModule !== undefined) return ofModule;
  const own = ownFunctionName(value);
  if (own !== undefined) return callNamespace(own, args, node, scope, on);
  const returns = operatorReturns(value);
  if (returns !== undefined) return customOperator(returns, node, scope, on);
  const followed = on.follow(value as AnyFunction, self, args);
  if (followed !== undefined) return followed;
  runCallbacks(args, undefined, on, node, scope);
  const reason = `\`${value.name || "a function"}\` has no source`;
  if (on.strict !== undefined && !isIntrinsic(value)) on.unchecked("call", reason, node, scope);
  if (on.strict !== undefined && self.objects.some(({ prototype }) => prototype !== undefined))
    return join(PLAINS, self);
  const result = unknown(reason);
  // It may change what it is given.
  for (const { objects } of [self, ...args])
    for (const object of objects)
      if (object.type !== "function") widen(object, join(result, joinKinds(args)));
  return result;
}

/** Layers of Sconce whose result is not one tensor. */
const RESULTS: Readonly<Record<string, Kind>> = {
  LSTM: listOf([TENSORS, listOf([TENSORS, TENSORS])]),
  GRU: listOf([TENSORS, TENSORS]),
  RNN: listOf([TENSORS, TENSORS]),
  LSTMCell: listOf([TENSORS, TENSORS]),
  MultiheadAttention: listOf([TENSORS, join(TENSORS, known(null))]),
};

/** Returns what the graph of a program returns. */
function graphResult(program: ExportedProgram): Kind {
  const outputs = program.graphSignature.outputSpecs.filter(({ kind }) => kind === "USER_OUTPUT");
  const leaves = outputs.map(({ arg }) => {
    if (arg.kind === "tensor") return TENSORS;
    return arg.kind.startsWith("sym") ? SYMS : PLAINS;
  });
  const kindOf = ({ type, children }: TreeSpec): Kind => {
    if (type === null) return leaves.shift() ?? PLAINS;
    const parts = children.map(kindOf);
    return /^builtins\.(tuple|list)$/.test(type) ? listOf(parts) : unknown(`a ${type} of a program`);
  };
  return kindOf(callingConvention(program).outSpec);
}

/** The arguments of functions that layers are given: an activation, a distance. */
const GIVEN_TO_CALLBACKS: readonly Kind[] = [TENSORS, TENSORS, TENSORS];

/** Calls a module: the user's are followed. */
export function callModule(module: OwnModule, args: readonly Kind[], on: Interpreter): Kind {
  const program = ownValues().programOf(module);
  if (program !== undefined) return graphResult(program);
  if (ownValues().isProgramModule(module)) return unknown("a module of an unflattened program");
  const layer = layerOf(module);
  if (layer === undefined) {
    const result = on.follow(module.forward as AnyFunction, known(module), args);
    return result ?? unknown("the source of `forward` cannot be read");
  }
  on.strict?.countOperator();
  // Layers of Sconce need no check; modules and functions of the user's inside them do.
  for (const [, inner] of module.namedModules())
    if (layerOf(inner) === undefined) on.follow(inner.forward as AnyFunction, known(inner), [TENSORS]);
    else {
      for (const value of Object.values(inner))
        if (isUserFunction(value)) on.follow(value, UNDEFINED, GIVEN_TO_CALLBACKS);
      for (const fn of overridesOf(inner)) on.follow(fn, known(inner), GIVEN_TO_CALLBACKS);
    }
  return fresh(RESULTS[layer] ?? TENSORS);
}

/** A class of modules; those of Sconce say which class of PyTorch they are. */
type LayerClass = AnyFunction & { readonly torchClass?: string | undefined };

/**
 * Returns the name of the layer of Sconce whose `forward` a module runs, its own or that of a class
 * that layers share; undefined for the user's own.
 */
function layerOf(module: OwnModule): string | undefined {
  for (const owner of prototypesOf(module)) {
    const type = Object.hasOwn(owner, "constructor") ? (owner.constructor as LayerClass) : undefined;
    if (type !== undefined && Object.hasOwn(type, "torchClass") && type.torchClass !== undefined)
      return type.name;
    if (Object.hasOwn(owner, "forward")) return undefined;
  }
  return undefined;
}

/** Methods and accessors that a class of the user's has in place of those of its layer. */
function overridesOf(module: OwnModule): AnyFunction[] {
  const found: AnyFunction[] = [];
  for (const at of prototypesOf(Object.getPrototypeOf(module) as object)) {
    if (Object.hasOwn(at.constructor, "torchClass")) break;
    for (const name of Reflect.ownKeys(at)) {
      const { value, get } = Object.getOwnPropertyDescriptor(at, name)!;
      const isKnown = name !== "constructor" && name in (Object.getPrototypeOf(at) as object);
      for (const fn of [value as unknown, get])
        if (isUserFunction(fn) && (isKnown || fn === get)) found.push(fn);
    }
  }
  return found;
}

/** Returns whether a value is a layer of Sconce. */
export const isLayer = (value: unknown): value is OwnModule =>
  isModule(value) && layerOf(value) !== undefined;

/** Methods of modules that read what the module holds. */
const READS = /^(?:get|at|has|slice|keys|values|entries|children|modules|parameters|buffers|named[A-Z]\w*)$/;

/** Methods of modules that change the module. */
const CHANGES_MODULE =
  /^(?:register\w+|addModule|setSubmodule|loadStateDict|train|eval|apply|requiresGrad_|append|extend|set|to|type|float|double|half|bfloat16|cpu)$/;

/** Returns a method that Sconce's classes of modules define; undefined for other functions. */
function callModuleMethod(
  fn: AnyFunction,
  self: Kind,
  args: readonly Kind[],
  node: AnyNode,
  scope: Scope,
  on: Interpreter,
): Kind | undefined {
  const owners = self.values.filter((value) => isModule(value) && isOwnMethod(value, fn));
  if (owners.length === 0) return undefined;
  if (CHANGES_MODULE.test(fn.name)) on.strict?.mutated(self, node, scope);
  const given = args.map(primitive);
  if (fn.name === "map" && owners.every((owner) => owner instanceof ownValues().ModuleList))
    return eachModule(self, args, node, scope, on);
  if (!READS.test(fn.name)) return unknown(`\`${fn.name}\` of a module is not followed`);
  if (given.includes(undefined)) return join(on.elements(self), UNDEFINED);
  return joinKinds(
    owners.map((owner) => {
      const result: unknown = fn.apply(
        owner,
        given.map((one) => one!.value),
      );
      const isIterator = typeof (result as { next?: unknown } | undefined)?.next === "function";
      return isIterator ? listOf([...(result as Iterable<unknown>)].map(known)) : known(result);
    }),
  );
}

/** `list.map(each)`: the function gets each module and its place. */
function eachModule(
  self: Kind,
  [fn = UNDEFINED]: readonly Kind[],
  node: AnyNode,
  scope: Scope,
  on: Interpreter,
): Kind {
  return arrayOf(runAnyTimes(on, () => on.call(fn, UNDEFINED, [on.elements(self), PLAINS], node, scope)));
}

function isOwnMethod(module: OwnModule, fn: AnyFunction): boolean {
  for (const owner of prototypesOf(Object.getPrototypeOf(module) as object))
    if (Object.getOwnPropertyDescriptor(owner, fn.name)?.value === fn)
      return Object.hasOwn(owner.constructor, "torchClass");
  return false;
}
