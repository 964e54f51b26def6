/** @file Factories with a generator among their arguments: the same as those without. */

import type { BoundArgs, OpDefinition } from "../rows/define-op.js";
import { defineOp } from "../rows/define-op.js";
import type { EmitArg } from "../rows/emit.js";
import { randomOps } from "./random.js";

const rows = new Map(randomOps.map((row) => [row.target, row]));

/** Overloads by those that they stand beside. */
const BASES: Readonly<Record<string, string>> = {
  "aten.rand.generator": "aten.rand.default",
  "aten.randn.generator": "aten.randn.default",
  "aten.rand_like.generator": "aten.rand_like.default",
  "aten.randn_like.generator": "aten.randn_like.default",
  "aten.randint.generator": "aten.randint.default",
  "aten.randint.low_generator": "aten.randint.low",
  "aten.randint_like.generator": "aten.randint_like.default",
  "aten.randint_like.Tensor_generator": "aten.randint_like.Tensor",
  "aten.randint_like.low_generator_dtype": "aten.randint_like.low_dtype",
  "aten.randperm.generator": "aten.randperm.default",
};

function withGenerator(target: string, base: OpDefinition): OpDefinition {
  const schema = base.schemaText
    .replace(/^[^(]*/, target.replace(".", "::"))
    .replace("*, ", "*, Generator? generator, ");
  const row = defineOp({ schema, tags: ["nondeterministic_seeded", "not_in_default_table"] });
  return Object.freeze({
    ...row,
    meta: base.meta,
    decompose: (emit: Parameters<NonNullable<OpDefinition["decompose"]>>[0], given: BoundArgs) => {
      const args = base.schema.args.filter((arg) => !arg.kwargOnly).map(({ name }) => given[name] as EmitArg);
      const options = base.schema.args.filter((arg) => arg.kwargOnly && given[arg.name] !== null);
      return emit(
        base.target,
        args,
        Object.fromEntries(options.map(({ name }) => [name, given[name] as EmitArg])),
      );
    },
  });
}

export const randomGeneratorOps: readonly OpDefinition[] = Object.entries(BASES).map(([target, base]) =>
  withGenerator(target, rows.get(base)!),
);
