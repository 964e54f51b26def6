/** @file Specifications of all arguments, and how they are attached to a model. */
import { checkOptions, type OptionNames } from "@sconce/errors";
import { type Condition, type SpecJson, SymBool } from "@sconce/torch";
import { badSpec } from "./errors.js";
import { entryText, indented, specText, typeName } from "./spec-text.js";
import { type IntermediateSpec, partJson, requireSpecValue } from "./specs.js";

const VARARGS = "*args";
const VARKW = "**kwargs";

/** What {@link ParamsSpec} takes: specifications by the name of the parameter. */
export interface ParamsSpecInit {
  /** A list for the arguments that a rest parameter collects. */
  readonly "*args"?: readonly IntermediateSpec[];
  /** Specifications of keyword arguments that are not named parameters, by name. */
  readonly "**kwargs"?: Readonly<Record<string, IntermediateSpec>>;
  readonly [name: string]:
    | IntermediateSpec
    | readonly IntermediateSpec[]
    | Readonly<Record<string, IntermediateSpec>>;
}

/**
 * The specifications of arguments by the name of the parameter, with `"*args"` for a rest parameter
 * and `"**kwargs"` for keywords. What it does not name is static.
 *
 * @throws SconceError `SHAPES_SPEC`
 */
export class ParamsSpec {
  /** Specifications by the name of the parameter. */
  readonly named: ReadonlyMap<string, IntermediateSpec>;
  /** Those of a rest parameter, by position; undefined without them. */
  readonly varargs: readonly IntermediateSpec[] | undefined;
  /** Those of other keyword arguments, by name; undefined without them. */
  readonly varkw: ReadonlyMap<string, IntermediateSpec> | undefined;

  constructor(params: ParamsSpecInit | null = null) {
    const named = new Map<string, IntermediateSpec>();
    let varargs: readonly IntermediateSpec[] | undefined;
    let varkw: ReadonlyMap<string, IntermediateSpec> | undefined;
    for (const [key, value] of Object.entries(params ?? {})) {
      if (key === VARARGS) varargs = positionsOf(value);
      else if (key === VARKW) varkw = keywordsOf(value);
      else if (key.startsWith("*"))
        throw badSpec(
          `Unknown sentinel key ${specText(key)} in ParamsSpec; only '${VARARGS}' and '${VARKW}' are reserved`,
        );
      else {
        requireSpecValue(value, `ParamsSpec[${specText(key)}]`);
        named.set(key, value as IntermediateSpec);
      }
    }
    this.named = named;
    this.varargs = varargs;
    this.varkw = varkw;
  }

  /** PyTorch's text. */
  toString(): string {
    const lines = [...this.named].map(([name, part]) => entryText(name, part));
    const below = (label: string, parts: readonly string[]): string =>
      `${label}:\n${indented(parts.join("\n"))}`;
    if (this.varargs !== undefined)
      lines.push(
        below(
          VARARGS,
          this.varargs.map((part, i) => entryText(String(i), part)),
        ),
      );
    if (this.varkw !== undefined)
      lines.push(
        below(
          VARKW,
          [...this.varkw].map(([name, part]) => entryText(name, part)),
        ),
      );
    return lines.join("\n");
  }

  /** Returns the specification as PyTorch's `to_jsonable` gives it. */
  toJsonable(): SpecJson {
    const params: Record<string, SpecJson> = {};
    for (const [name, part] of this.named) params[name] = partJson(part);
    if (this.varargs !== undefined) params[VARARGS] = this.varargs.map(partJson);
    if (this.varkw !== undefined)
      params[VARKW] = Object.fromEntries([...this.varkw].map(([name, part]) => [name, partJson(part)]));
    return { type: "ParamsSpec", params };
  }
}

function positionsOf(value: unknown): readonly IntermediateSpec[] {
  if (!Array.isArray(value))
    throw badSpec(`ParamsSpec '${VARARGS}' value must be a list of leaf specs, got ${typeName(value)}`);
  for (const [i, part] of value.entries()) requireSpecValue(part, `ParamsSpec '${VARARGS}'[${i}]`);
  return [...(value as readonly IntermediateSpec[])];
}

function keywordsOf(value: unknown): ReadonlyMap<string, IntermediateSpec> {
  if (typeName(value) !== "dict")
    throw badSpec(`ParamsSpec '${VARKW}' value must be a dict of leaf specs, got ${typeName(value)}`);
  const entries = Object.entries(value as Record<string, IntermediateSpec>);
  for (const [name, part] of entries) requireSpecValue(part, `ParamsSpec '${VARKW}'[${specText(name)}]`);
  return new Map(entries);
}

/** Options of {@link ShapesSpec}. */
export interface ShapesSpecOptions {
  /** Conditions on the variables that hold for every run: `[sym.eq(sym.mod(batch, 2), 0)]`. */
  readonly assumptions?: readonly Condition[] | null | undefined;
  /** Not supported, as in PyTorch. */
  readonly globals?: null | undefined;
}

const OPTIONS: OptionNames<ShapesSpecOptions> = { assumptions: true, globals: true };

/**
 * Dynamic shapes as PyTorch recommends them since 2.14. Sizes and integers that it names are
 * symbols that only the inputs of a run decide (`u0`, `u1`): an export never makes a constant of
 * one, also where an example size is 0 or 1, and fails where the model has to choose by one. What
 * it assumes is asserted at the start of the program.
 *
 * ```ts
 * const batch = new ShapeVar("batch", { min: 2, max: 128 });
 * exportProgram(model, [torch.ones(8, 3), torch.ones(16, 3)], {
 *   dynamicShapes: new ShapesSpec(
 *     { x: new TensorSpec([batch, 3]), y: new TensorSpec([sym.mul(batch, 2), 3]) },
 *     { assumptions: [sym.eq(sym.mod(batch, 2), 0)] },
 *   ),
 * });
 * ```
 *
 * @throws SconceError `SHAPES_SPEC`
 */
export class ShapesSpec {
  /** The specifications of the arguments; undefined without one. */
  readonly params: ParamsSpec | undefined;
  /** Conditions on the variables. */
  readonly assumptions: readonly SymBool[];

  constructor(params?: ParamsSpec | ParamsSpecInit | null, options: ShapesSpecOptions = {}) {
    checkOptions("ShapesSpec", options, OPTIONS);
    if (options.globals !== null && options.globals !== undefined)
      throw badSpec("ShapesSpec.globals is not supported yet", "leave `globals` out");
    this.params = paramsOf(params);
    const assumptions: readonly unknown[] = options.assumptions ?? [];
    assumptions.forEach((one, i) => {
      const where = `ShapesSpec.assumptions[${i}]`;
      if (!(one instanceof SymBool))
        throw badSpec(
          `${where}: expected SymBool, got ${typeName(one)}: ${specText(one)}`,
          "write conditions with `sym`: `sym.eq(sym.mod(batch, 2), 0)`",
        );
      requireSpecValue(one, where);
    });
    this.assumptions = [...(assumptions as readonly SymBool[])];
  }

  /** PyTorch's text. */
  toString(): string {
    const lines = ["shapes_spec:"];
    if (this.params !== undefined) {
      lines.push("  params:");
      const text = this.params.toString();
      if (text !== "") lines.push(indented(text, 2));
    }
    if (this.assumptions.length > 0)
      lines.push("  assumptions:", ...this.assumptions.map((one) => `    ${one.toString()}`));
    return lines.join("\n");
  }

  /** Returns the specification as PyTorch's `to_jsonable` gives it. */
  toJsonable(): SpecJson {
    return {
      type: "ShapesSpec",
      params: this.params?.toJsonable() ?? null,
      assumptions: this.assumptions.map((one) => one.toString()),
    };
  }
}

function paramsOf(params: unknown): ParamsSpec | undefined {
  if (params === null || params === undefined) return undefined;
  if (params instanceof ParamsSpec) return params;
  if (typeName(params) === "dict") return new ParamsSpec(params as ParamsSpecInit);
  throw badSpec(`shapes_spec must be ParamsSpec, dict, or None, got ${typeName(params)}`);
}

const ATTACHED = new WeakMap<object, ShapesSpec>();

/**
 * Attaches a specification to a function, or to the `forward` of a module, also as a decorator:
 * `exportProgram` takes it where no `dynamicShapes` are given.
 *
 * ```ts
 * const scale = dynamicSpec({ x: new TensorSpec([new ShapeVar("batch"), STATIC]) })(
 *   (x: Tensor) => x.mul(2),
 * );
 * ```
 *
 * @param spec a `ShapesSpec`, a `ParamsSpec` or what one is made from
 * @throws SconceError `SHAPES_SPEC`, also for a function that has one already
 */
export function dynamicSpec(
  spec: ShapesSpec | ParamsSpec | ParamsSpecInit,
): <F extends (...args: never) => unknown>(fn: F, context?: unknown) => F {
  if (!(spec instanceof ShapesSpec) && !(spec instanceof ParamsSpec) && typeName(spec) !== "dict")
    throw badSpec(`dynamic spec expects a dict, ShapesSpec, or ParamsSpec, got ${typeName(spec)}`);
  const resolved = spec instanceof ShapesSpec ? spec : new ShapesSpec(spec);
  return (fn) => {
    if (typeof fn !== "function")
      throw badSpec(`dynamicSpec(...) is attached to a function, not to ${typeName(fn)}`);
    if (ATTACHED.has(fn))
      throw badSpec(
        `@dynamic_spec(...) is already attached to ${fn.name}. Stacking multiple @dynamic_spec decorators on the same function is not allowed; merge them into a single spec.`,
        "give one specification with all of its parts",
      );
    ATTACHED.set(fn, resolved);
    return fn;
  };
}

/**
 * Returns the specification that {@link dynamicSpec} attached to a function; undefined without one.
 */
export const attachedSpec = (fn: object): ShapesSpec | undefined => ATTACHED.get(fn);
