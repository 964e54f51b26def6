/** @file The source checks of an export: of the model, and of the functions of control flow. */
import {
  type AnyFunction,
  findingPlace,
  findingPosition,
  isFloatInSource,
  isOwnFile,
  type SourceFinding,
  type SourceProblem,
  sideEffects,
  sourceProblems,
  strictProblems,
  uncheckedBodies,
  uncheckedPlaces,
  writtenFloats,
} from "@sconce/source-check";
import { type BodyCall, type Module, refusal, withoutNotes, withTrace } from "@sconce/torch";
import { checkBody, checkSource } from "../check/source-check.js";

/** What the checks of an export need to know of it. */
export interface SourceChecksInit {
  readonly module: Module | undefined;
  readonly isStrict: boolean;
  /** Receives what the checks could not follow; `warn` receives lists of it otherwise. */
  readonly onUnchecked: ((finding: SourceFinding) => void) | undefined;
  readonly warn: (message: string) => void;
}

/** Checks sources, and reports each place that cannot be followed once. */
export class SourceChecks {
  readonly #init: SourceChecksInit;
  readonly #unchecked: SourceFinding[] = [];
  /** Places in functions of control flow, which are reported after the trace. */
  readonly #inBodies: SourceFinding[] = [];
  readonly #warned = new Set<string>();
  readonly #checked = new WeakSet<AnyFunction>();

  constructor(init: SourceChecksInit) {
    this.#init = init;
  }

  /**
   * Checks the source of the model before it runs.
   *
   * @throws SconceError `STRICT_MODE`, `SOURCE_CHECK`
   */
  model(source: AnyFunction, args: readonly unknown[]): void {
    const { module, isStrict } = this.#init;
    const { errors, refused, unchecked, warnings } = checkSource(source, {
      thisValue: module,
      args,
      strict: isStrict,
    });
    if (refused.length > 0) throw strictProblems([...refused, ...errors]);
    if (errors.length > 0) throw sourceProblems(errors);
    this.#unchecked.push(...unchecked);
    this.#report(unchecked, (all) => uncheckedPlaces(all, isStrict));
    this.#warnOf(warnings);
  }

  /**
   * Checks a function that control flow is given.
   *
   * @throws SconceError `CONTROL_FLOW_SIDE_EFFECT`, `SOURCE_CHECK`
   */
  body(call: BodyCall): void {
    if (this.#checked.has(call.fn)) return;
    // The program does not have what the check reads.
    const { errors, refused, unchecked, warnings } = withoutNotes(() =>
      withTrace(undefined, () => checkBody(call)),
    );
    const changes = refused.filter((one) => !isOwnFile(findingPlace(one)?.replace(/:\d+$/, "") ?? ""));
    if (changes.length > 0) throw refusal(sideEffects(call.operator, changes));
    if (errors.length > 0) throw refusal(sourceProblems(errors));
    this.#checked.add(call.fn);
    this.#inBodies.push(...unchecked);
    this.#warnOf(warnings);
  }

  /**
   * Checks a function that a module calls where no source shows it, such as a hook.
   *
   * @throws SconceError `STRICT_MODE`, `SOURCE_CHECK`
   */
  called(fn: AnyFunction, args: readonly unknown[], thisValue?: unknown): void {
    if (this.#checked.has(fn)) return;
    const strict = this.#init.isStrict;
    const { errors, refused, unchecked, warnings } = withoutNotes(() =>
      withTrace(undefined, () => checkSource(fn, { args, strict, thisValue })),
    );
    if (refused.length > 0) throw refusal(strictProblems([...refused, ...errors]));
    if (errors.length > 0) throw refusal(sourceProblems(errors));
    this.#checked.add(fn);
    this.#inBodies.push(...unchecked);
    this.#warnOf(warnings);
  }

  /** Warns of numbers that are written as floats, each place once. */
  #warnOf(warnings: readonly SourceProblem[] = []): void {
    const found = warnings.filter((one) => {
      if (isOwnFile(findingPlace(one)?.replace(/:\d+$/, "") ?? "") || !isFloatInSource(one)) return false;
      const key = keyOf(one);
      return !this.#warned.has(key) && this.#warned.add(key);
    });
    if (found.length > 0) this.#init.warn(writtenFloats(found));
  }

  /** Reports what the checks of functions of control flow could not follow. */
  finish(): void {
    const known = new Set(this.#inBodies.length === 0 ? [] : this.#unchecked.map(keyOf));
    const found = this.#inBodies.filter((one) => {
      const key = keyOf(one);
      return !known.has(key) && known.add(key);
    });
    this.#report(found, uncheckedBodies);
  }

  #report(findings: readonly SourceFinding[], text: (findings: readonly SourceFinding[]) => string): void {
    const { onUnchecked, warn } = this.#init;
    if (onUnchecked !== undefined) for (const finding of findings) onUnchecked(finding);
    else if (findings.length > 0) warn(text(findings));
  }
}

const keyOf = (one: SourceFinding): string =>
  `${findingPosition(one) ?? one.code} ${one.construct} ${one.message}`;
