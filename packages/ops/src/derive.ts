/**
 * @file In-place and `out=` overloads follow from their functional overload by the alias annotations of PyTorch's
 * code generator (`torchgen/model.py`), so no row is written for them.
 */
import { SconceError } from "@sconce/errors";
import { FakeTensor, type MetaValue } from "@sconce/ir";
import type { BoundArgs, MetaContext, OpDefinition } from "./define-op.js";
import { parseSchema } from "./schema.js";

type Find = (target: string) => OpDefinition | undefined;

/** The definition of `aten.add_.Tensor` from `aten.add.Tensor`; undefined when the target has no functional row. */
export function deriveVariant(target: string, find: Find): OpDefinition | undefined {
  const match = /^([\w.]+)\.(\w+)\.(\w+)$/.exec(target);
  if (match === null) return undefined;
  const [, namespace, name, overload] = match as unknown as [string, string, string, string];
  if (/[^_]_$/.test(name)) {
    const base = find(`${namespace}.${name.slice(0, -1)}.${overload}`);
    return base && deriveInPlace(base, name);
  }
  if (/^__i\w+__$/.test(name)) {
    const base = find(`${namespace}.__${name.slice(3)}.${overload}`);
    return base && deriveInPlace(base, name);
  }
  return undefined;
}

function deriveInPlace(base: OpDefinition, name: string): OpDefinition | undefined {
  const first = base.schema.args[0];
  if (first?.type.base !== "Tensor" || first.type.list || base.schema.returns.length !== 1) return undefined;
  const text = base.schemaText
    .replace(`::${base.schema.name}`, `::${name}`)
    .replace("(Tensor ", "(Tensor(a!) ")
    .replace(/-> Tensor$/, "-> Tensor(a!)");
  const { meta } = base;
  return Object.freeze({
    ...base,
    target: `${base.schema.namespace}.${name}.${base.schema.overload}`,
    schema: parseSchema(text),
    schemaText: text,
    tags: base.tags.filter((tag) => tag !== "core"),
    functional: base.target,
    decompose: undefined,
    meta: (args: BoundArgs, context: MetaContext) => {
      const self = args[first.name] as FakeTensor;
      if (meta !== undefined) checkInPlace(self, meta(args, context), name);
      return self;
    },
  });
}

function checkInPlace(self: FakeTensor, result: MetaValue, name: string): void {
  if (result instanceof FakeTensor && result.ndim > self.ndim) {
    throw new SconceError({
      code: "SHAPE_MISMATCH",
      message: `${name}: the result has ${result.ndim} dimensions, which self with ${self.ndim} cannot hold`,
      fix: "use the functional overload, whose result is new memory",
    });
  }
}
