/** @file What an export is given as dynamic shapes. */
import type { AnyFunction, FunctionParameter } from "@sconce/source-check";
import {
  AdditionalInputs,
  bindInputs,
  collectedShapes,
  type DynamicShapes,
  type ExampleCall,
  mergedShapes,
  type NamedInputs,
  ShapesCollection,
} from "../dynamic/index.js";
import { attachedSpec, badSpec, ParamsSpec, ShapesSpec } from "../spec/index.js";

/** What says which sizes are dynamic. */
export type GivenShapes =
  | DynamicShapes
  | AdditionalInputs
  | ShapesCollection
  | ShapesSpec
  | ParamsSpec
  | null
  | undefined;

/** What says of an export which sizes are dynamic. */
interface ShapesRequest {
  readonly args: readonly unknown[];
  readonly kwargs: Readonly<Record<string, unknown>>;
  readonly dynamicShapes: GivenShapes;
  readonly deferGuards: boolean;
  readonly draft?: unknown;
}

/**
 * Returns the `ShapesSpec` of an export, given or attached; undefined for dynamic shapes of other
 * forms.
 */
export function specOf(
  { dynamicShapes: given, draft, deferGuards }: ShapesRequest,
  source: AnyFunction,
): ShapesSpec | undefined {
  const attached = attachedSpec(source);
  if (attached !== undefined && given !== null && given !== undefined)
    throw badSpec(
      "Both `@dynamic_spec(...)` is attached to the function/forward AND a `dynamic_shapes=` argument was passed. Provide only one.",
      "leave `dynamicShapes` out, or take `dynamicSpec` from the function",
    );
  const spec = given instanceof ParamsSpec ? new ShapesSpec(given) : (attached ?? given);
  if (!(spec instanceof ShapesSpec)) return undefined;
  if (draft !== undefined)
    throw badSpec(
      `draft_export does not support the new dynamic shapes API (${(given ?? spec).constructor.name}); use torch.export.export instead.`,
      "call `exportProgram`, or give `Dim`s to `draftExport`",
    );
  if (deferGuards)
    throw badSpec(
      "`prefer_deferred_runtime_asserts_over_guards=True` cannot be combined with `dynamic_shapes=ShapesSpec(...)`. ShapesSpec currently uses unbacked symbols only, which already emit runtime assertions; the flag has no effect.",
      "leave `preferDeferredRuntimeAssertsOverGuards` out",
    );
  return spec;
}

/** Returns the specification for each argument: a collection and further inputs give one, too. */
export function shapesOf(
  { args, kwargs, dynamicShapes: spec }: ShapesRequest,
  parameters: readonly FunctionParameter[] | undefined,
): DynamicShapes | null | undefined {
  const bind = (example: ExampleCall): NamedInputs =>
    bindInputs(parameters, example.args, example.kwargs ?? {});
  if (spec instanceof ShapesCollection) return collectedShapes(spec, bind({ args, kwargs }));
  if (spec instanceof AdditionalInputs) return mergedShapes(spec, bind({ args, kwargs }), bind);
  // See `specOf`.
  return spec instanceof ShapesSpec || spec instanceof ParamsSpec ? null : spec;
}
