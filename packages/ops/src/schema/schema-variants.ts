/**
 * @file Schemas of overloads that PyTorch's code generator makes of others (`torchgen`): `out=`
 * overloads, in-place ones, and copies of views. All texts are without the namespace.
 */

/** Arguments of factories that `out=` overloads leave to the output. */
const OPTIONS = /, \w+\?? (?:dtype|layout|device|pin_memory)(?:=[^,]*)?/g;
const TENSORS = /^Tensor(?:\[\])?(?: \w+)?$/;

/**
 * Returns the schemas that may have been generated from one, in a fixed order. PyTorch has some of
 * them only: {@link allSchemas} knows which.
 */
export function schemaVariants(schema: string): readonly string[] {
  const open = schema.indexOf("(");
  const close = schema.lastIndexOf(") -> ");
  const [name = "", overload = ""] = schema.slice(0, open).split(".");
  const suffix = overload && `.${overload}`;
  const args = schema.slice(open + 1, close);
  const returns = schema.slice(close + 5);
  const variants = outVariants(name, overload, args, returns);
  if (args.startsWith("Tensor ") || args.startsWith("Tensor(a) ")) {
    const inPlace = name.startsWith("__") ? `__i${name.slice(2)}` : `${name}_`;
    const written = args.replace(/^\S+ \w+/, "Tensor(a!) self");
    variants.push(`${inPlace}${suffix}(${written}) -> Tensor(a!)`);
    if (returns.startsWith("Tensor(a)"))
      variants.push(`${name}_copy${suffix}(${args.replace("(a)", "")}) -> ${returns.replace("(a)", "")}`);
  }
  if (args.startsWith("Tensor[] ")) variants.push(`${name}_${suffix}(${args.replace("[]", "(a!)[]")}) -> ()`);
  return variants;
}

function outVariants(name: string, overload: string, args: string, returns: string): string[] {
  const types = returns.startsWith("(") ? returns.slice(1, -1).split(", ") : [returns];
  if (!types.every((type) => TENSORS.test(type))) return [];
  const written = args.split("!").length - 1;
  const outputs = types.map((type, i) => {
    const set = String.fromCharCode(97 + written + i);
    return `Tensor(${set}!)${type.includes("[") ? "[]" : ""}`;
  });
  const named = outputs.map((type, i) => `${type} out${outputs.length > 1 ? i : ""}`).join(", ");
  const own = args.replace(OPTIONS, "");
  const inputs = own === "" ? "*" : /(?:^|, )\*/.test(own) ? own : `${own}, *`;
  const [first = "", ...more] = outputs;
  const results = named.includes("[") ? "()" : more.length > 0 ? `(${outputs.join(", ")})` : first;
  const overloads = overload === "" ? ["out"] : [`${overload}_out`, "out"];
  return overloads.map((out) => `${name}.${out}(${inputs}, ${named}) -> ${results}`);
}

/**
 * Returns all schemas that follow from the first ones, those included. For each schema of the
 * result so far, `kinds` has a digit of base 32: bit `i` is set when PyTorch has its variant `i`.
 */
export function allSchemas(first: Iterable<string>, kinds: string): readonly string[] {
  const schemas = [...new Set(first)].sort();
  for (let at = 0; at < kinds.length; at++) {
    if (kinds[at] === "0") continue;
    const chosen = Number.parseInt(kinds[at]!, 32);
    schemas.push(...schemaVariants(schemas[at]!).filter((_, i) => (chosen >> i) & 1));
  }
  return schemas;
}
