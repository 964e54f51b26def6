/**
 * @file What the source check knows of a value: a set of possibilities, each a concrete value, an
 * object that the checked code makes, or a class of values.
 */

import { Tensor } from "@sconce/tensor";
import type { Node } from "acorn";
import { isSym } from "./own-values.js";
import { isObject } from "./prototypes.js";

/** A tensor that an operator makes. */
export const TENSOR = 1;
/** A dynamic size, or a condition on one. */
export const SYM = 2;
/** A size of a tensor whose sizes the check does not know: a number or a dynamic size. */
export const SIZE = 4;
/** Neither a tensor nor symbolic: numbers, texts, conditions of JavaScript. */
export const PLAIN = 8;
/** Anything. */
export const UNKNOWN = 16;

/** The possibilities of a value. */
export interface Kind {
  /** Classes of values: {@link TENSOR} and the like. */
  readonly flags: number;
  /** Values that the check holds in its hands. */
  readonly values: readonly unknown[];
  /** Objects that the checked code makes. */
  readonly objects: readonly AbstractObject[];
  /** Why a part is unknown. */
  readonly reason: string | undefined;
}

/**
 * An object that the checked code makes: an array, a record, a function, a class, a method of a
 * tensor.
 */
export interface AbstractObject {
  readonly type: "array" | "record" | "function" | "bound" | "class" | "method" | "namespace";
  /**
   * Properties of a record, items of an array by index; those of an array that changes are gone.
   */
  readonly props: Map<string, Kind>;
  /** What any other property may hold. */
  element: Kind;
  /** The name of a method, of a namespace of Sconce's, or of a class of the language. */
  readonly name?: string;
  /** Where a class of the language has its methods; undefined for a record. */
  readonly prototype?: object;
  /** What a function or a class of the checked code closes over, or what a function is bound to. */
  closure?: unknown;
  /** The tree of the function or the class. */
  readonly node?: Node;
}

const kind = (
  flags: number,
  values: readonly unknown[] = [],
  objects: readonly AbstractObject[] = [],
): Kind => ({
  flags,
  values,
  objects,
  reason: undefined,
});

/** No possibility: code that is not reached. */
export const NOTHING: Kind = kind(0);
export const TENSORS: Kind = kind(TENSOR);
export const SYMS: Kind = kind(SYM);
export const SIZES: Kind = kind(SIZE);
export const PLAINS: Kind = kind(PLAIN);
/** The value `undefined`. */
export const UNDEFINED: Kind = kind(0, [undefined]);

/** Returns a value that is known. */
export const known = (value: unknown): Kind => kind(0, [value]);
/** Returns a value that may be anything, and why. */
export const unknown = (reason: string): Kind => ({ ...kind(UNKNOWN), reason });
/** Why an object that the code makes with `new` is unknown. */
export const MADE_BY_NEW = "an object that the code makes with `new`";
/** Returns an object that the code makes. */
export const made = (object: AbstractObject): Kind => kind(0, [], [object]);
/** Returns a record or an array that the code makes. */
export const makeObject = (type: "array" | "record", element: Kind = NOTHING): AbstractObject => ({
  type,
  props: new Map(),
  element,
});
/** Returns an array with these possible items. */
export const arrayOf = (element: Kind): Kind => made(makeObject("array", element));

/** Returns an array with these items. */
export const listOf = (items: readonly Kind[]): Kind =>
  made({ ...makeObject("array"), props: new Map(items.map((item, i) => [String(i), item])) });

/** Values of a set before it is summarized. */
const MANY_PRIMITIVES = 4;
const MANY_OBJECTS = 64;

/** Returns a kind with new arrays: those of tables stay as they are. */
export const fresh = (all: Kind): Kind =>
  all.objects.length === 0
    ? all
    : { ...all, objects: all.objects.map((one) => ({ ...one, props: new Map(one.props) })) };

/** Returns all possibilities of two kinds. */
export function join(a: Kind, b: Kind): Kind {
  if (a === b || isNothing(b)) return a;
  if (isNothing(a)) return b;
  const values = union(a.values, b.values);
  const objects = union(a.objects, b.objects);
  const flags = a.flags | b.flags;
  const reason = a.reason ?? b.reason;
  if (flags === a.flags && values === a.values && objects === a.objects && reason === a.reason) return a;
  return summarized({ flags, values, objects, reason });
}

function union<T>(a: readonly T[], b: readonly T[]): readonly T[] {
  const added = b.filter((item) => !a.some((own) => Object.is(own, item)));
  return added.length === 0 ? a : [...a, ...added];
}

function summarized(all: Kind): Kind {
  let { values, flags, reason } = all;
  if (values.filter((value) => !isObject(value)).length > MANY_PRIMITIVES) {
    // Whether a value may be undefined is asked more often than which number it is.
    values = values.filter((value) => isObject(value) || value === undefined || value === null);
    flags |= PLAIN;
  }
  if (values.length > MANY_OBJECTS) {
    if (values.some(isTensor)) flags |= TENSOR;
    values = [];
    flags |= UNKNOWN;
    reason ??= "too many values";
  }
  return { ...all, values, flags, reason };
}

/** Returns whether a kind has no possibility. */
export const isNothing = ({ flags, values, objects }: Kind): boolean =>
  flags === 0 && values.length === 0 && objects.length === 0;

const isTensor = (value: unknown): value is Tensor => value instanceof Tensor;

/** Returns whether a value may be a tensor. */
export const mayBeTensor = ({ flags, values }: Kind): boolean =>
  (flags & TENSOR) !== 0 || values.some(isTensor);
/** Returns whether a value may be symbolic, as far as the check knows. */
export const mayBeSym = ({ flags, values }: Kind): boolean => (flags & SYM) !== 0 || values.some(isSym);

/** Returns the value, where it is known and no object: undefined otherwise. */
export function primitive({ flags, values, objects }: Kind): { readonly value: unknown } | undefined {
  const [value] = values;
  return flags === 0 && objects.length === 0 && values.length === 1 && !isObject(value)
    ? { value }
    : undefined;
}

/**
 * Returns whether a value counts as true; undefined where both are possible. A tensor or a dynamic
 * size is an error, whose correction may go either way.
 */
export function truth(all: Kind): boolean | undefined {
  const { flags, values, objects } = all;
  if ((flags & (SIZE | PLAIN | UNKNOWN)) !== 0 || mayBeTensor(all) || mayBeSym(all)) return undefined;
  const outcomes = new Set(values.map(Boolean));
  if (objects.length > 0) outcomes.add(true);
  return outcomes.size === 1 ? [...outcomes][0] : undefined;
}

/** Returns whether a value is null or undefined; undefined where both are possible. */
export function nullish({ flags, values, objects }: Kind): boolean | undefined {
  if ((flags & (PLAIN | UNKNOWN)) !== 0) return undefined;
  const outcomes = new Set(values.map((value) => value === null || value === undefined));
  if (objects.length > 0 || (flags & (TENSOR | SYM | SIZE)) !== 0) outcomes.add(false);
  return outcomes.size === 1 ? [...outcomes][0] : undefined;
}

/** Returns a kind without some of its values. */
export const without = (all: Kind, isOut: (value: unknown) => boolean): Kind =>
  all.values.some(isOut) ? { ...all, values: all.values.filter((value) => !isOut(value)) } : all;

/** Returns the kinds of several parts, together. */
export const joinKinds = (kinds: readonly Kind[]): Kind => kinds.reduce(join, NOTHING);
