/**
 * @file Checks the functions that control flow is given. A trace runs such a function once, or a
 * few times, so the program has no change of a JavaScript value from outside of it.
 */

import type { AnyNode } from "acorn";
import type { AnyFunction } from "../source/parse-function.js";
import { checkWith } from "./check-source.js";
import { hostFunction } from "./host-functions.js";
import type { Scope, StrictObserver } from "./interpreter.js";
import { type Kind, known, MADE_BY_NEW, UNDEFINED, UNKNOWN } from "./kinds.js";
import { operatorReturns, ownFunctionName } from "./own-functions.js";
import { isModule } from "./own-values.js";
import { isObject } from "./prototypes.js";
import type { SourceFinding, SourceReport } from "./report.js";
import type { StrictConstruct } from "./strict-constructs.js";
import type { ReportConstruct } from "./strict-observer.js";

/** A function that control flow is given. */
export interface CheckedBody {
  /** The function, or a module. */
  readonly fn: AnyFunction;
  /** The arguments that it is traced with. */
  readonly args: readonly unknown[];
  /** The innermost module whose `forward` runs. */
  readonly module: object | undefined;
}

const NO_FINDINGS: SourceReport = { errors: [], refused: [], unchecked: [] };

/**
 * Checks a function that control flow is given. `refused` has the changes of values from outside of
 * it, and `unchecked` the places that may make some.
 */
export function checkBody({ fn, args, module }: CheckedBody): SourceReport {
  if (!isModule(fn) && (ownFunctionName(fn) ?? operatorReturns(fn)) !== undefined) return NO_FINDINGS;
  const own = isModule(fn) ? fn : undefined;
  const { refused, errors, unchecked } = checkWith(own === undefined ? fn : (own.forward as AnyFunction), {
    thisValue: own,
    self: own === undefined ? UNDEFINED : known(own),
    around: module,
    args,
    observe: (report) => new BodyReporter(report),
  });
  return { refused, errors, unchecked: unchecked.filter(mayWrite) };
}

/** What the check of the model does not report already. */
const WRITES = new Set(["call", "new", "with", "function", "outer-write"]);
const mayWrite = ({ construct }: SourceFinding): boolean => WRITES.has(construct);

/** Reports changes of values that were there before the function ran. */
class BodyReporter implements StrictObserver {
  readonly operators = 0;
  readonly #report: ReportConstruct;

  constructor(report: ReportConstruct) {
    this.#report = report;
  }

  countOperator(): void {}
  enter(): void {}
  read(): void {}
  readMember(): void {}

  refuse(construct: StrictConstruct, node: AnyNode, scope: Scope): void {
    if (construct === "outer-write") this.#report(construct, node, scope);
  }

  assigned(object: Kind, node: AnyNode, scope: Scope): void {
    if (object.values.some(isObject) || this.#isReachedFromOutside(node, scope))
      this.#report("outer-write", node, scope);
    else if ((object.flags & UNKNOWN) !== 0 && object.reason !== MADE_BY_NEW)
      this.#report("outer-write", node, scope, object.reason ?? "the object is not known");
  }

  mutated(container: Kind, node: AnyNode, scope: Scope): void {
    this.assigned(container, node, scope);
  }

  iterating<T>(_container: Kind, run: () => T): T {
    return run();
  }

  /** Returns whether a call is one of the host, which changes no values of the model. */
  called(fn: unknown): boolean {
    const construct = hostFunction(fn);
    return construct !== undefined && construct !== "eval";
  }

  /**
   * Returns whether a property is that of a variable around the function, or of `this` from
   * outside.
   */
  #isReachedFromOutside(node: AnyNode, scope: Scope): boolean {
    let root = node;
    while (root.type === "MemberExpression") root = root.object;
    if (root === node) return false;
    if (root.type === "Identifier") return scope.find(root.name) === undefined;
    if (root.type !== "ThisExpression") return false;
    // Objects that the function makes are known as such: an unknown one is that of a method around.
    const { values, flags } = scope.frame.self;
    return values.some(isObject) || (flags & UNKNOWN) !== 0;
  }
}
