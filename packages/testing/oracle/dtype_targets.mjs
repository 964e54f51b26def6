// Lists the overloads of Sconce for dtype_grid.py: `node dtype_targets.mjs targets.json`, after
// `npm run build`. With `--outputs` those that write into outputs, for output_dtypes.py and
// output_operands.py.
import { writeFileSync } from "node:fs";
import { cpuBackend } from "@sconce/backend-cpu";
import { defaultOperators } from "@sconce/ops";
import { readAllCases } from "@sconce/ops-cases/node";

const operators = defaultOperators();
const cpu = cpuBackend();
const isOutputs = process.argv[3] === "--outputs";
const targets = new Set(isOutputs ? writing() : [...operators].map(({ target }) => target));
if (!isOutputs) for (const { target } of readAllCases()) targets.add(target);
const entries = [...targets].map((target) => {
  const row = operators.get(target);
  // Composites without a kernel are judged by the calls that they are made of.
  const isComposite = row?.tags.includes("composite") === true && row.decompose !== undefined;
  return {
    target,
    schema: row?.schemaText,
    functional: row?.functional,
    pointwise: row?.tags.includes("pointwise") === true,
    parts: isComposite && cpu.describeSupport(target) !== "kernel",
  };
});
writeFileSync(process.argv[2], JSON.stringify(entries));

/** Derived overloads with outputs. */
function* writing() {
  for (const target of operators.targets()) {
    const row = operators.get(target);
    const hasOutput = row?.schema.args.some((arg) => arg.kwargOnly && arg.alias?.write);
    if (target.startsWith("aten.") && row?.functional !== undefined && hasOutput) yield target;
  }
}
