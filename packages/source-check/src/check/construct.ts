/** @file `new` in the checked source. */

import { Tensor } from "@sconce/tensor";
import type { AnyNode, CallExpression } from "acorn";
import { type AnyFunction, isNative } from "../source/parse-function.js";
import { runCallbacks } from "./callbacks.js";
import { onlyHolds } from "./class-shape.js";
import { makeInstance } from "./classes.js";
import { isIntrinsic } from "./host-functions.js";
import { type Interpreter, type Scope, siteOf } from "./interpreter.js";
import {
  arrayOf,
  joinKinds,
  type Kind,
  known,
  MADE_BY_NEW,
  made,
  makeObject,
  mayBeSym,
  mayBeTensor,
  NOTHING,
  PLAINS,
  SIZE,
  SIZES,
  TENSORS,
  UNKNOWN,
  unknown,
} from "./kinds.js";
import { ownFunctionName } from "./own-functions.js";
import { isModule } from "./own-values.js";

/** Classes of the language that hold values. */
const COLLECTIONS = new Map<unknown, string>([
  [Array, "Array"],
  [Map, "Map"],
  [WeakMap, "Map"],
  [Set, "Set"],
  [WeakSet, "Set"],
]);

/** Makes an object. */
export function construct(
  callee: Kind,
  args: readonly Kind[],
  node: AnyNode,
  scope: Scope,
  on: Interpreter,
): Kind {
  const [value] = callee.values;
  const isOne = callee.values.length === 1 && callee.flags === 0;
  for (const one of callee.values) on.strict?.called(one, args, node, scope);
  const collection = COLLECTIONS.get(value);
  if (collection !== undefined && isOne) return makeCollection(value, collection, args, node, scope, on);
  if (isOne && ownFunctionName(value)?.startsWith("distributions.") === true)
    return distributionKind(node, scope);
  const instance = makeInstance(callee, args, node, scope, on);
  if (instance !== undefined) return instance;
  runCallbacks(args, [], on, node, scope);
  if (isOne && isTensorClass(value)) return TENSORS;
  if (isOne && isIntrinsic(value)) return makeIntrinsic(value as AnyFunction, args, node, scope, on);
  if (mayDecide(callee, on) && (on.strict !== undefined || args.some(isOpen)))
    on.unchecked("new", "the constructor and the getters of a class are not followed", node, scope);
  return unknown(MADE_BY_NEW);
}

/**
 * Returns a distribution: its members are tensors and functions that give tensors, but for its
 * shapes.
 */
function distributionKind(node: AnyNode, scope: Scope): Kind {
  const props = new Map<string, Kind>([
    ["batchShape", arrayOf(SIZES)],
    ["eventShape", arrayOf(SIZES)],
    ["validatesArgs", PLAINS],
    ["reinterpretedBatchNdims", PLAINS],
  ]);
  return made(siteOf(scope, node, () => ({ ...makeObject("record", TENSORS), props })));
}

function makeCollection(
  type: unknown,
  name: string,
  args: readonly Kind[],
  node: AnyNode,
  scope: Scope,
  on: Interpreter,
): Kind {
  if (type === Array) arrayLength(args, node, scope, on);
  else for (const arg of args) on.hidden(arg, "iterate", node, scope);
  const all = type === Array ? args : args.map((arg) => on.elements(arg));
  const items = joinKinds(all);
  if (type === Set) on.identity(items, known(0), "Set", node, scope);
  return {
    ...NOTHING,
    objects: [siteOf(scope, node, () => ({ ...makeObject("array", items), name }))],
  };
}

/**
 * Returns an object of a class of the language: its methods and its items are numbers and texts.
 */
function makeIntrinsic(
  type: AnyFunction,
  args: readonly Kind[],
  node: AnyNode,
  scope: Scope,
  on: Interpreter,
): Kind {
  const { prototype } = type as { readonly prototype?: object };
  for (const arg of args) on.hidden(arg, "any", node, scope);
  if (prototype === undefined) return unknown(MADE_BY_NEW);
  return made(siteOf(scope, node, () => ({ ...makeObject("record", PLAINS), prototype })));
}

/** Returns whether a class may decide on what it is given: the code's own may. */
const mayDecide = ({ values, flags, objects }: Kind, { strict }: Interpreter): boolean =>
  (flags & UNKNOWN) !== 0 ||
  objects.length > 0 ||
  values.some((type) => typeof type === "function" && mayAct(type as AnyFunction, strict !== undefined));

/**
 * Returns whether making an object of a class may do more than hold values: outside of strict mode,
 * decide.
 */
const mayAct = (type: AnyFunction, isStrict: boolean): boolean =>
  !isSconceClass(type) && (isStrict && isNative(type) ? !isIntrinsic(type) : !onlyHolds(type));

/** Returns whether a value is a class or a layer of Sconce. */
const isSconceClass = (type: unknown): boolean =>
  type === Tensor || isModule(type) || Object.hasOwn(type as object, "torchClass") || isTensorClass(type);

/**
 * Returns whether a value is a class of tensors: its functions make tensors, as `Tensor.from` does.
 */
export const isTensorType = (type: unknown): boolean => type === Tensor || isTensorClass(type);

const isTensorClass = (type: unknown): boolean =>
  typeof type === "function" && (type.prototype as unknown) instanceof Tensor;

/** Returns whether a value may be a tensor or a dynamic size, or hold one. */
const isOpen = (kind: Kind): boolean =>
  mayBeTensor(kind) ||
  mayBeSym(kind) ||
  (kind.flags & (SIZE | UNKNOWN)) !== 0 ||
  kind.objects.length > 0 ||
  kind.values.some((value) => typeof value === "object" && value !== null);

/** `new Array(n)` of a dynamic size has that one item, not `n`. */
export function arrayLength(args: readonly Kind[], node: AnyNode, scope: Scope, on: Interpreter): void {
  const [length] = args;
  if (length === undefined || args.length > 1) return;
  const [argument = node] = (node as CallExpression).arguments;
  if (mayBeSym(length)) on.coercion(length, "Array", argument, scope);
  else if (!mayBeTensor(length)) on.identity(length, known(0), "Array", argument, scope);
}
