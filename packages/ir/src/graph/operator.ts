/** @file Operator schemas as data, and the lookup that readers, printers and verifiers need of an operator table. */

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

export interface SchemaType {
  readonly base: SchemaBase;
  /** `T[]`; the number is a fixed length (`int[2]`), to which a single value is broadcast. */
  readonly list: boolean;
  readonly listSize?: number | undefined;
  /** `T?` around the whole type. */
  readonly optional: boolean;
  /** `T?[]`: elements may be None. */
  readonly optionalElements: boolean;
}

/** `(a!)` is `{ set: "a", write: true }`; `(a -> *)` gives wildcard views. */
export interface AliasInfo {
  readonly set: string;
  readonly write: boolean;
}

export interface SchemaArgument {
  readonly name: string;
  readonly type: SchemaType;
  readonly kwargOnly: boolean;
  readonly hasDefault: boolean;
  /** Parsed default: null, bool, number, string, list. Floats of type `float`/`Scalar` written `1.0` stay floats. */
  readonly defaultValue?: import("../values/argument.js").Argument | undefined;
  readonly alias?: AliasInfo | undefined;
}

export interface SchemaReturn {
  readonly name?: string | undefined;
  readonly type: SchemaType;
  readonly alias?: AliasInfo | undefined;
}

/** `aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`. */
export interface OpSchema {
  readonly namespace: string;
  readonly name: string;
  /** `default` when the schema text has none. */
  readonly overload: string;
  /** `aten.add.Tensor`. */
  readonly target: string;
  readonly args: readonly SchemaArgument[];
  readonly returns: readonly SchemaReturn[];
  /** Some argument is written to. */
  readonly isMutable: boolean;
  /** Some return aliases an argument without a write: a view. */
  readonly isView: boolean;
}

/** What readers and verifiers ask of an operator table. */
export interface OperatorLookup {
  schemaOf(target: string): OpSchema | undefined;
  tagsOf(target: string): readonly string[];
  /** Targets of all operators, for suggestions. */
  targets?(): Iterable<string>;
  /**
   * Why the arguments do not fit the schema of an operator, in words; undefined when they do, or nothing is known of it.
   * `resolve` gives the values of nodes.
   */
  callProblem?(
    call: Pick<Node, "target" | "args" | "kwargs">,
    resolve: (node: NodeRef) => MetaValue | undefined,
  ): string | undefined;
}
