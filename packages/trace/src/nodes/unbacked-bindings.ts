/** @file Where values show symbols that only the data decide, as metadata of nodes writes it. */
import type { UnbackedBinding } from "./trace-node.js";

const CALLS = { size: "size", stride: "stride", offset: "storage_offset" } as const;
const PATH = /^(?:\[(\d+)\])?(?:\.(size|stride|storage_offset)\(\)(?:\[(\d+)\])?)?$/;

const index = (place: number | undefined): string => (place === undefined ? "" : `[${place}]`);

/** Returns the symbols with the paths to them: `{ u0: ".size()[1]" }`; undefined for none. */
export function bindingPaths(
  bindings: readonly UnbackedBinding[],
): Readonly<Record<string, string>> | undefined {
  if (bindings.length === 0) return undefined;
  return Object.fromEntries(
    bindings.map(({ symbol, item, dim, of = "size" }) => {
      const isWhole = dim === undefined && of !== "offset";
      return [symbol, `${index(item)}${isWhole ? "" : `.${CALLS[of]}()${index(dim)}`}`];
    }),
  );
}

/** Returns the same the other way: paths that lead elsewhere are left out. */
export function pathBindings(
  paths: Readonly<Record<string, string>> | undefined,
): readonly UnbackedBinding[] {
  return Object.entries(paths ?? {}).flatMap(([symbol, path]) => {
    const [match, item, call, dim] = PATH.exec(path) ?? [];
    if (match === undefined) return [];
    const part = call === "storage_offset" ? "offset" : call === "stride" ? "stride" : "size";
    const place = (text: string | undefined): number | undefined =>
      text === undefined ? undefined : Number(text);
    return [{ symbol, item: place(item), dim: place(dim), of: part }] as const;
  });
}
