/** @file Writes case files; `lines.ts` reads them. */
import { dtypeInfo } from "@sconce/tensor";
import type { CaseTensor, CaseValue, OpCase } from "./case.js";
import { DEFAULT_SOURCE } from "./lines.js";
import { numbersText, numberText } from "./numbers.js";

/** Lists at least as long are written once for a file. */
const SHARED_LENGTH = 24;

/** Returns the text of a case file. */
export function writeLines(cases: readonly OpCase[], hash: (text: string) => string): string {
  const uses = new Map<string, number>();
  const count: ListText = (list) => {
    uses.set(list, (uses.get(list) ?? 0) + 1);
    return list;
  };
  for (const one of cases) caseText(one, count);
  const written = new Set<string>();
  const lines: string[] = [];
  for (const one of cases) {
    const list: ListText = (text) => {
      if (text.length < SHARED_LENGTH || uses.get(text) === 1) return text;
      const name = hash(text);
      if (!written.has(name)) lines.push(`{"values":"${name}","list":${text}}`);
      written.add(name);
      return `"${name}"`;
    };
    lines.push(caseText(one, list));
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** What a list of elements is written as: itself, or the name of an earlier line. */
type ListText = (list: string) => string;

function caseText(one: OpCase, list: ListText): string {
  const value = (item: CaseValue): string => valueText(item, list);
  const named = (values: Readonly<Record<string, CaseValue>>): string | undefined => {
    const entries = Object.entries(values).map(([key, item]) => `${JSON.stringify(key)}:${value(item)}`);
    return entries.length === 0 ? undefined : `{${entries.join(",")}}`;
  };
  const { rtol, atol, outputs, error } = one;
  return objectText({
    op: JSON.stringify(one.target),
    id: JSON.stringify(one.id),
    from: one.source === DEFAULT_SOURCE ? undefined : JSON.stringify(one.source),
    tags: one.tags.length === 0 ? undefined : JSON.stringify(one.tags),
    args: `[${one.args.map(value).join(",")}]`,
    kwargs: named(one.kwargs),
    out: outputs && `[${outputs.map(value).join(",")}]`,
    mutated: named(one.mutated ?? {}),
    compare: one.compare === "meta" ? '"meta"' : undefined,
    rtol: rtol === undefined ? undefined : numberText(rtol),
    atol: atol === undefined ? undefined : numberText(atol),
    error: error === undefined ? undefined : JSON.stringify(error),
  });
}

const objectText = (entries: Readonly<Record<string, string | undefined>>): string =>
  `{${Object.entries(entries)
    .filter(([, text]) => text !== undefined)
    .map(([key, text]) => `${JSON.stringify(key)}:${text}`)
    .join(",")}}`;

function valueText(value: CaseValue, list: ListText): string {
  if ("tensor" in value) return tensorText(value, list);
  if ("none" in value) return "null";
  if ("bool" in value) return String(value.bool);
  if ("str" in value) return JSON.stringify(value.str);
  if ("list" in value) return `[${value.list.map((item) => valueText(item, list)).join(",")}]`;
  if ("int" in value) return Number.isSafeInteger(value.int) ? String(value.int) : `{"int":"${value.int}"}`;
  if ("float" in value) return `{"float":${floatText(value.float)}}`;
  return JSON.stringify(value);
}

const floatText = (value: number): string =>
  Number.isFinite(value) ? numberText(value) : `"${String(value).replace("Infinity", "inf")}"`;

function tensorText(spec: CaseTensor, list: ListText): string {
  let type = `${dtypeInfo(spec.dtype).abbreviation}[${spec.shape.join(", ")}]`;
  if (spec.strides !== undefined) type += `{${spec.strides.join(", ")}}`;
  if (spec.storageOffset !== undefined) type += `@${spec.storageOffset}`;
  const bytes = spec.storage ?? spec.tensor;
  return objectText({
    [type]: bytes === null ? "null" : list(numbersText(spec.dtype, bytes())),
    storage: spec.storage && "true",
    alias: spec.alias && JSON.stringify(spec.alias),
  });
}
