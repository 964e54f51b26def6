/**
 * @file Checks what a pass changed region by region, in the program's own graph and in every nested
 * graph.
 */

import type { ExportedProgram, Node, ProgramRunner } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { ToleranceOptions } from "@sconce/tensor/compare";
import { assertionRegion, droppedAssertions, type GoneAssertion, isReplaced } from "../changes/assertions.js";
import type { ChangedRegion } from "../changes/changed-regions.js";
import { type GraphPath, pathText } from "../changes/nested.js";
import { type GraphVersions, isWrite, sidesOf } from "../changes/program-sides.js";
import { type RegionPair, regionPair } from "../changes/region-pair.js";
import { isSmall, largestConstant, largestInput, resizedPair } from "../changes/resize.js";
import { type Claim, claimKey } from "../changes/unify.js";
import { accumulates, isValuePreserving, restrictsRange } from "../changes/value-facts.js";
import { type MadeRewrite, replacedValues } from "../rewrite/rewrite-record.js";
import { CornerSizes, costOf } from "../sampling/corner-sizes.js";
import { isOtherTable } from "../sampling/index-inputs.js";
import { literalsOf } from "../sampling/literals.js";
import type { NumberChange, ValueClass } from "../sampling/number-change.js";
import type { Sizes } from "../sampling/sizes.js";
import { commonOrigins, graphCorrespondence } from "./correspondence.js";
import type { Coverage, GraphCoverage, Unchecked } from "./coverage.js";
import { functionalBase } from "./functional-base.js";
import { GraphWalk } from "./graph-walk.js";
import { pairKey } from "./pair-key.js";
import {
  checkRegion,
  type RefusalCode,
  type RegionDifference,
  type RegionResult,
  refusalDropped,
} from "./region-check.js";
import type { RegionSizes } from "./region-sizes.js";
import { whyNotRun } from "./why-not-run.js";

export interface ChangeCheckOptions {
  readonly run: ProgramRunner;
  readonly operators: OperatorTable;
  readonly tolerance: ToleranceOptions;
  /** What the pass declares for all regions. */
  readonly declared: NumberChange | undefined;
  readonly made: readonly MadeRewrite[];
  /** Operators whose assertions the pass removes on purpose. */
  readonly removes: readonly string[];
  readonly sizes: RegionSizes;
  readonly seed: number;
}

/** A region that computes something else than before. */
export interface RegionFailure extends RegionDifference {
  /** The nested graph of the region; empty for the program's own graph. */
  readonly path: GraphPath;
  /** The value that differs: its node before, and the one after that represents it. */
  readonly claim: Claim;
  /** What the node calls. */
  readonly target: string;
  /** The rules whose rewrites changed the region. */
  readonly rules: readonly string[];
  /** The region before and after the pass, as programs. */
  readonly pair: RegionPair;
  /** Whether the program divided by zero before, which it refuses, and does not after. */
  readonly isDivision?: boolean | undefined;
  /** The assertion before that refuses the inputs, where none after does. */
  readonly assertion?: Node | undefined;
}

export interface ChangeResult {
  /** Assertions without another one in their place. */
  readonly gone: readonly GoneAssertion[];
  readonly failure: RegionFailure | undefined;
  readonly coverage: Omit<Coverage, "wholeRuns">;
}

/**
 * How often claims that turned out wrong are dropped, which makes regions larger, before one counts
 * as a difference.
 */
const ROUNDS = 4;
/** How many producers of inputs a region is extended by. */
const LEVELS = 4;
/** The same for assertions: whether a value can be refused at all depends on what computes it. */
const ASSERTION_LEVELS = 8;
/**
 * The classes in which indices differ, tried where the table that they index is larger than in
 * reduced samples.
 */
const INDEX_CLASSES: readonly ValueClass[] = ["ordinary", "literals", "limits"];
/** Elements up to which that is done, those of large constants counted by the thousand. */
const MOST_INDEXED = 10_000_000;
const NO_SIZES: Sizes = new Map();
/**
 * Elements of the largest input at which a region is still run on all samples, and on one to
 * confirm a difference.
 */
const [MOST_ELEMENTS, CONFIRMED_ELEMENTS] = [50_000, 4_000_000];

export function checkChange(
  before: ExportedProgram,
  after: ExportedProgram,
  options: ChangeCheckOptions,
): ChangeResult {
  return new ChangeCheck(before, after, options).check();
}

class ChangeCheck {
  readonly #given: ExportedProgram;
  /** The program before, made functional where the one after is. */
  readonly #before: ExportedProgram;
  readonly #after: ExportedProgram;
  readonly #options: ChangeCheckOptions;
  readonly #known = new Map<string, RegionResult>();
  readonly #graphs: GraphCoverage[] = [];
  readonly #unchecked: Unchecked[] = [];
  readonly #classes = new Set<ValueClass>();
  readonly #notes = new Set<string>();
  readonly #gone: GoneAssertion[] = [];
  readonly #visited = new Set<string>();
  readonly #cornerSizes: CornerSizes;
  #regions = 0;
  #checked = 0;
  #runs = 0;
  #largest = 0;

  constructor(before: ExportedProgram, after: ExportedProgram, options: ChangeCheckOptions) {
    this.#given = before;
    this.#before = functionalBase(before, after, options.operators);
    this.#after = after;
    this.#options = options;
    this.#cornerSizes = new CornerSizes(before, (sample) => options.sizes.at(sample));
  }

  /**
   * What writes in place is compared as the values that it makes: the writes themselves show in
   * whole runs only.
   */
  #noteWrites(): void {
    if (this.#given === this.#before) return;
    const writes = this.#given.graph.nodes().filter((node) => isWrite(node, this.#options.operators));
    const reason = "it writes in place; the values that it makes are checked";
    for (const { name } of writes) this.#unchecked.push({ graph: "", node: name, reason });
  }

  check(): ChangeResult {
    const [before, after] = [this.#before, this.#after];
    this.#noteWrites();
    const failure = this.#graph(
      { before: before.graph, after: after.graph, programs: { before, after } },
      [],
    );
    return {
      failure,
      gone: this.#gone,
      coverage: {
        graphs: this.#graphs,
        regions: this.#regions,
        checkedRegions: this.#checked,
        valueClasses: [...this.#classes],
        unchecked: this.#unchecked,
        regionRuns: this.#runs,
        largestSample: this.#largest,
        notes: [...this.#notes],
      },
    };
  }

  #graph(versions: GraphVersions, path: GraphPath): RegionFailure | undefined {
    const sides = sidesOf(versions, this.#options.operators);
    const replaced = replacedValues(versions.before, this.#options.made);
    const rejected = new Set<string>();
    let first: RegionFailure | undefined;
    for (let round = 1; ; round++) {
      const walk = new GraphWalk(
        versions,
        this.#options.operators,
        sides,
        replaced,
        rejected,
        this.#likely(versions),
      );
      const failures: RegionFailure[] = [];
      const verdicts = walk.finder.regions().map((region) => this.#verdict(walk, region, path));
      for (const { failure } of verdicts) if (failure !== undefined) failures.push(failure);
      first ??= failures[0];
      const weak = failures.filter(({ claim }) => !claim.firm);
      if (failures.length > 0 && weak.length === failures.length && round < ROUNDS) {
        for (const { claim } of weak) rejected.add(claimKey(claim.before, claim.after));
        continue;
      }
      if (failures.length > 0) return named(failures.find(({ claim }) => claim.firm) ?? failures[0]!, first!);
      this.#count(walk, verdicts, path);
      const dropped = this.#assertions(walk, path);
      if (dropped !== undefined) return dropped;
      return this.#nested(walk, versions, path);
    }
  }

  #likely({ before, after }: GraphVersions): ReadonlyMap<string, string> {
    if (this.#given !== this.#before) return commonOrigins(before, after);
    return graphCorrespondence(before, after, this.#before.dialect !== this.#after.dialect);
  }

  #nested(walk: GraphWalk, { before, after }: GraphVersions, path: GraphPath): RegionFailure | undefined {
    for (const pair of walk.finder.unified.nested) {
      const inner = [...path, pair.after];
      if (this.#visited.has(pathText(inner))) continue;
      this.#visited.add(pathText(inner));
      const versions = {
        before: before.subgraphs.get(pair.before)!,
        after: after.subgraphs.get(pair.after)!,
      };
      const failure = this.#graph(versions, inner);
      if (failure !== undefined) return failure;
    }
    return undefined;
  }

  /**
   * Returns an assertion that refuses a sample before and is missing after; whatever the values
   * come from, as far as it goes.
   */
  #assertions(walk: GraphWalk, path: GraphPath): RegionFailure | undefined {
    for (const assertion of droppedAssertions(walk.finder, this.#options.removes)) {
      const found = this.#violation(walk, assertion, path);
      if (typeof found === "object") return found;
      const graph = pathText(path);
      if (!isReplaced(walk.finder, assertion)) this.#gone.push({ path, node: assertion });
      else if (found === "unknown")
        this.#unchecked.push({
          graph,
          node: assertion.name,
          reason: "the assertion is another, and cannot be run by itself",
        });
      else
        this.#notes.add(
          `%${assertion.name}: another assertion is in its place, and no sample shows a difference`,
        );
    }
    return undefined;
  }

  /**
   * Returns a sample that violates a dropped assertion; `unknown` where it cannot be run by itself.
   */
  #violation(walk: GraphWalk, assertion: Node, path: GraphPath): RegionFailure | "unknown" | undefined {
    let inside: ReadonlySet<number> = new Set();
    let failure: RegionFailure | undefined;
    for (let level = 0; level <= ASSERTION_LEVELS; level++) {
      const region = assertionRegion(walk.finder, assertion, inside);
      const found = this.#refusal(walk, region, path, "ASSERTION_FAILED");
      if (found === "unknown") return failure ?? found;
      if (found === undefined) return undefined;
      const claim = { before: assertion.name, after: assertion.name, firm: true };
      failure ??= { ...found, path, claim, target: assertion.target, rules: [], assertion };
      const calls = callsAmong(region);
      if (calls.length === 0) break;
      inside = new Set([...inside, ...calls.map((input) => walk.finder.numberOf(input)!)]);
    }
    return failure;
  }

  /**
   * Returns a division by zero that the program refuses and no longer does; whatever the divisor
   * comes from, as far as it goes.
   */
  #division(walk: GraphWalk, region: ChangedRegion, path: GraphPath): RegionFailure | undefined {
    let inside = walk.coveredBy(region);
    let failure: RegionFailure | undefined;
    for (let level = 0; level <= ASSERTION_LEVELS; level++) {
      const grown = walk.extend(region, inside);
      const found = this.#refusal(walk, grown.extended, path, "DIVISION_BY_ZERO");
      if (found === "unknown") break;
      if (found === undefined) return undefined;
      const claim = region.claims[0]!;
      const target = region.before.graph.node(claim.before).target;
      const rules = walk.rulesOf(region).map(({ name }) => name);
      failure ??= { ...found, path, claim, target, rules, isDivision: true };
      const calls = callsAmong(grown.extended);
      if (calls.length === 0) break;
      inside = new Set([...grown.inside, ...calls.map((input) => walk.finder.numberOf(input)!)]);
    }
    return failure;
  }

  #refusal(
    walk: GraphWalk,
    region: ChangedRegion,
    path: GraphPath,
    code: RefusalCode,
  ): (RegionDifference & { pair: RegionPair }) | "unknown" | undefined {
    if (whyNotRun(walk, this.#options.operators, region) !== undefined) return "unknown";
    const source = { before: this.#before, after: this.#after, isNested: path.length > 0 };
    const whole = regionPair(region, source);
    const pair = this.#fitted(whole);
    if (pair === undefined) return "unknown";
    const { run, tolerance, sizes, seed } = this.#options;
    const named = literalsOf([...region.before.nodes, ...region.after.nodes]);
    const found = refusalDropped(pair, code, {
      run,
      tolerance,
      allowed: [],
      ...named,
      cornerSizes: this.#cornerSizes.of(pair, named.literals),
      sizes,
      seed,
      zeroSigns: true,
    });
    return found && { ...found, pair };
  }

  #count(walk: GraphWalk, verdicts: readonly Verdict[], path: GraphPath): void {
    const graph = pathText(path);
    const [changed, checked] = [new Set<string>(), new Set<string>()];
    for (const { region, reason, result } of verdicts) {
      const calls = walk.finder.changedCalls(region);
      for (const call of calls) changed.add(call);
      this.#regions++;
      if (reason === undefined) {
        this.#checked++;
        for (const call of calls) checked.add(call);
      } else {
        const node =
          region.after.nodes.at(-1)?.name ?? region.before.nodes.at(-1)?.name ?? region.claims[0]!.after;
        this.#unchecked.push({ graph, node, reason });
      }
      for (const one of result?.classes ?? []) this.#classes.add(one);
      for (const note of result?.notes ?? []) this.#notes.add(`%${region.claims[0]!.after}: ${note}`);
    }
    this.#graphs.push({ graph, changedCalls: changed.size, checkedCalls: checked.size });
  }

  #verdict(walk: GraphWalk, region: ChangedRegion, path: GraphPath): Verdict {
    const obstacle = whyNotRun(walk, this.#options.operators, region);
    if (obstacle !== undefined) return { region, reason: obstacle, failure: undefined, result: undefined };
    let { extended, inside } = walk.extend(region, walk.coveredBy(region));
    const widened = whyNotRun(walk, this.#options.operators, extended);
    if (widened !== undefined) return { region, reason: widened, failure: undefined, result: undefined };
    let { result, pair } = this.#run(walk, extended, path);
    const begun = { result, pair };
    for (
      let level = 0;
      level < LEVELS && result?.difference !== undefined && walk.mayExtend(region);
      level++
    ) {
      const more = this.#producers(walk, extended, level === 0);
      if (more.size === 0) break;
      ({ extended, inside } = walk.extend(region, new Set([...inside, ...more])));
      if (whyNotRun(walk, this.#options.operators, extended) !== undefined) break;
      const next = this.#run(walk, extended, path);
      if (next.result === undefined) break;
      ({ result, pair } = next);
    }
    if (result === undefined)
      return { region, reason: "its inputs are too large", failure: undefined, result };
    // The smallest region that shows it says most.
    if (result.difference !== undefined) ({ result, pair } = { result: begun.result!, pair: begun.pair });
    const { difference, reason } = result;
    if (difference === undefined) {
      const failure = result.divides ? this.#division(walk, region, path) : undefined;
      return { region, reason, failure, result };
    }
    const claim = region.claims[difference.result] ?? region.claims[0]!;
    const target = region.after.graph.find(claim.after)?.target ?? "";
    const failure = {
      ...difference,
      path,
      claim,
      target,
      rules: walk.rulesOf(region).map(({ name }) => name),
      pair,
    };
    return { region, reason: undefined, failure, result };
  }

  /**
   * Runs a region on samples, at small sizes first; a difference there has to show at its own sizes
   * too.
   */
  #run(
    walk: GraphWalk,
    region: ChangedRegion,
    path: GraphPath,
  ): { result: RegionResult | undefined; pair: RegionPair } {
    const source = { before: this.#before, after: this.#after, isNested: path.length > 0 };
    const whole = regionPair(region, source);
    const small = this.#fitted(whole);
    if (small === undefined) return { result: undefined, pair: whole };
    const result = this.#sampled(walk, region, small);
    if (small === whole) return { result, pair: small };
    if (result.difference === undefined) {
      if (!isOtherTable(small, whole) || costOf(whole, NO_SIZES) > MOST_INDEXED)
        return { result, pair: small };
      const indexed = this.#sampled(walk, region, whole, INDEX_CLASSES);
      return indexed.difference === undefined ? { result, pair: small } : { result: indexed, pair: whole };
    }
    if (largestInput(whole) > CONFIRMED_ELEMENTS) return { result: undefined, pair: whole };
    return { result: this.#sampled(walk, region, whole), pair: whole };
  }

  /**
   * Returns the region at sizes at which it can be run by the dozen; undefined where there are
   * none.
   */
  #fitted(whole: RegionPair): RegionPair | undefined {
    const pair = isSmall(whole) ? whole : (resizedPair(whole, this.#options.operators) ?? whole);
    return largestInput(pair) > MOST_ELEMENTS || largestConstant(pair) > CONFIRMED_ELEMENTS
      ? undefined
      : pair;
  }

  #sampled(
    walk: GraphWalk,
    region: ChangedRegion,
    pair: RegionPair,
    classes?: readonly ValueClass[],
  ): RegionResult {
    const { run, tolerance, declared, sizes, seed } = this.#options;
    const rules = walk.rulesOf(region).flatMap(({ changesNumbers }) => changesNumbers ?? []);
    const special = region.before.nodes.flatMap(({ target }) => declared?.operators?.[target] ?? []);
    const own = declared === undefined ? [] : [declared, { valueClasses: special }];
    const allowed: readonly NumberChange[] = [...own, ...rules];
    const text = pairKey(pair, allowed);
    const key = text && `${text}\n${classes?.join() ?? ""}`;
    const known = key === undefined ? undefined : this.#known.get(key);
    if (known !== undefined) return known;
    const calls = [...region.before.nodes, ...region.after.nodes];
    const zeroSigns = !calls.some(({ target }) => accumulates(target));
    const named = literalsOf(calls);
    const cornerSizes = this.#cornerSizes.of(pair, named.literals);
    const options = { run, tolerance, allowed, ...named, cornerSizes, classes, sizes, seed, zeroSigns };
    const result = checkRegion(pair, options);
    this.#runs += result.runs;
    this.#largest = Math.max(this.#largest, result.largest);
    if (key !== undefined) this.#known.set(key, result);
    return result;
  }

  /**
   * Values that a region takes and could compute: of calls that restrict their results, or hand
   * them on.
   */
  #producers({ finder }: GraphWalk, region: ChangedRegion, isFirst: boolean): Set<number> {
    const found = new Set<number>();
    const results = new Set(region.after.results);
    for (const input of region.inputs) {
      const node = region.before.graph.node(input.before);
      if (node.op !== "call_function") continue;
      const isResult = isFirst && results.has(input.after);
      if (isResult || restrictsRange(node.target) || isValuePreserving(node.target))
        found.add(finder.numberOf(input.before)!);
    }
    return found;
  }
}

/** Inputs of a region that calls give, by their names before. */
const callsAmong = ({ inputs, before }: ChangedRegion): string[] =>
  inputs.map((input) => input.before).filter((name) => before.graph.node(name).op === "call_function");

/**
 * Of a difference and the first that was found, the first, when it lies in what the other computes.
 */
const named = (found: RegionFailure, first: RegionFailure): RegionFailure =>
  found.pair.after.graph.has(first.claim.after) ? first : found;

interface Verdict {
  readonly region: ChangedRegion;
  /** Why it was not checked. */
  readonly reason: string | undefined;
  readonly failure: RegionFailure | undefined;
  readonly result: RegionResult | undefined;
}
