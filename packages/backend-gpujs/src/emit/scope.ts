import type { Scalar } from "@sconce/codegen";

/** A block of the source under construction, and the values that have names in it. */
export class Scope {
  readonly lines: string[] = [];
  readonly known = new Map<Scalar, string>();
  readonly parent: Scope | undefined;
  /** The axis that a loop's block is run for; undefined for blocks that may not run at all. */
  readonly axis: string | undefined;

  constructor(parent?: Scope, axis?: string) {
    this.parent = parent;
    this.axis = axis;
  }

  nameOf(scalar: Scalar): string | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      const name = scope.known.get(scalar);
      if (name !== undefined) return name;
    }
    return undefined;
  }
}
