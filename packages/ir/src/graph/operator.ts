/**
 * @file Operator schemas as data, and the lookup that readers, printers and verifiers need of an
 * operator table.
 */

import type { SconceError } from "@sconce/errors";
import type { NodeRef } from "../values/argument.js";
import type { MetaValue } from "../values/meta.js";
import type { Node } from "./node.js";

/** Element kinds of schema types. `Scalar` is a Python number; `ScalarType` a dtype. */
export type SchemaBase =
  | "Tensor"
  | "Scalar"
  | "int"
  | "SymInt"
  | "SymBool"
  | "float"
  | "bool"
  | "str"
  | "ScalarType"
  | "Layout"
  | "Device"
  | "MemoryFormat"
  | "Generator"
  | "Storage"
  | "Stream"
  | "Dimname"
  | "complex"
  | "Any";

/** The type of an argument or a result. */
export interface SchemaType {
  /** The type of one item: `Tensor`, `SymInt`, `Scalar`. */
  readonly base: SchemaBase;
  /** `T[]`; the number is a fixed length (`int[2]`), to which a single value is broadcast. */
  readonly list: boolean;
  /** The fixed length of a list: 2 for `int[2]`. */
  readonly listSize?: number | undefined;
  /** `T?` around the whole type. */
  readonly optional: boolean;
  /** `T?[]`: elements may be None. */
  readonly optionalElements: boolean;
}

/** `(a!)` is `{ set: "a", write: true }`; `(a -> *)` gives wildcard views. */
export interface AliasInfo {
  /** The alias set: values with the same letter share memory. */
  readonly set: string;
  /** Whether the operator writes to the value. */
  readonly write: boolean;
}

/** One argument of a schema. */
export interface SchemaArgument {
  /** The name, as keyword arguments use it. */
  readonly name: string;
  /** The type. */
  readonly type: SchemaType;
  /** Whether it is given by keyword only, after the `*`. */
  readonly kwargOnly: boolean;
  /** Whether a call may leave it out. */
  readonly hasDefault: boolean;
  /**
   * Parsed default: null, bool, number, string, list. Floats of type `float`/ `Scalar` written
   * `1.0` stay floats.
   */
  readonly defaultValue?: import("../values/argument.js").Argument | undefined;
  /** What it shares memory with, and whether it is written; undefined without an annotation. */
  readonly alias?: AliasInfo | undefined;
}

/** One result of a schema. */
export interface SchemaReturn {
  /** The name, where the schema gives one. */
  readonly name?: string | undefined;
  /** The type. */
  readonly type: SchemaType;
  /** What it shares memory with; undefined for a new value. */
  readonly alias?: AliasInfo | undefined;
}

/** `aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`. */
export interface OpSchema {
  /** `aten`, `prims`, or a library's. */
  readonly namespace: string;
  /** The name without namespace and overload: `add_`. */
  readonly name: string;
  /** `default` when the schema text has none. */
  readonly overload: string;
  /** `aten.add.Tensor`. */
  readonly target: string;
  /** The arguments, positional ones before those by keyword only. */
  readonly args: readonly SchemaArgument[];
  /** The results, in order. */
  readonly returns: readonly SchemaReturn[];
  /** Some argument is written to. */
  readonly isMutable: boolean;
  /** Some return aliases an argument without a write: a view. */
  readonly isView: boolean;
}

/** What readers and verifiers ask of an operator table. */
export interface OperatorLookup {
  /** Returns the schema of an operator; undefined when unknown. */
  schemaOf(target: string): OpSchema | undefined;
  /** Returns the tags of an operator, such as `core` and `pointwise`; none when unknown. */
  tagsOf(target: string): readonly string[];
  /**
   * Returns why programs that call an operator are refused when they are read; undefined where they
   * are not.
   */
  refusalOf?(target: string): SconceError | undefined;
  /** Targets of all operators, for suggestions. */
  targets?(): Iterable<string>;
  /**
   * Returns why the arguments do not fit the schema of an operator, in words; undefined when they
   * do, or nothing is known of it. `resolve` gives the values of nodes.
   */
  callProblem?(
    call: Pick<Node, "target" | "args" | "kwargs">,
    resolve: (node: NodeRef) => MetaValue | undefined,
  ): string | undefined;
}
