/** @file The declarations of `sconce` as the editor has them. */

/** A name that a module exports. */
export interface ApiExport {
  readonly kind: "function" | "class" | "const" | "interface" | "type" | "namespace";
  /** The declaration. */
  readonly text: string;
  readonly doc?: string;
  /** The type of the value. */
  readonly type?: string | undefined;
}

/** A member of a type. */
export interface ApiMember {
  /** The declaration. */
  readonly text: string;
  readonly doc?: string;
  readonly type?: string | undefined;
}

/** An interface or a class; `typeof NAME` has the static members of a class. */
export interface ApiType {
  readonly extends?: readonly string[];
  readonly members: Readonly<Record<string, ApiMember>>;
  /** The constructor, as the type of a function. */
  readonly makes?: string;
}

/** All that is known of a module. */
export interface ApiData {
  readonly exports: Readonly<Record<string, ApiExport>>;
  readonly types: Readonly<Record<string, ApiType>>;
  /** Types that are names for others. */
  readonly aliases: Readonly<Record<string, string>>;
}
