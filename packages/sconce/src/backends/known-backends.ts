/** @file What to do about the name of a backend that the session does not have. */
import { SconceError } from "@sconce/errors";
import { didYouMean } from "@sconce/passes";

/** Backends in packages of their own: by name, the package and what registers the backend. */
const PACKAGES: ReadonlyMap<string, { readonly install: string; readonly factory: string }> = new Map([
  ["gpujs", { install: "@sconce/backend-gpujs gpu.js", factory: "gpujsBackend" }],
]);

/** What people call GPUs, by the backend that uses them. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  ["gpu", "gpu.js", "webgpu", "wgsl", "webgl", "webgl2"].map((name) => [name, "gpujs"]),
);

/** The session has no backend at all, so none is the default. */
export const noBackend = (): SconceError =>
  new SconceError({
    code: "UNKNOWN_BACKEND",
    message: "the session has no backend",
    fix: "give createSconce at least one: createSconce({ services: { backends: [backend] } })",
  });

/**
 * The error for a backend name that is not registered. Names of Sconce's own packages get the command that installs the
 * package and the line that registers it; `gpujs:MODE` counts as `gpujs`.
 */
export function unknownBackend(name: string, registered: Iterable<string>): SconceError {
  const names = [...registered];
  const [kind, mode] = name.split(":") as [string, string?];
  const other = OTHER_NAMES.get(kind.toLowerCase());
  if (other !== undefined && !names.includes(name)) return unknownGpu(name, other, names);
  const known = PACKAGES.get(kind);
  return new SconceError({
    code: "UNKNOWN_BACKEND",
    message:
      known === undefined ? `there is no backend "${name}"` : `the backend "${name}" is not registered`,
    fix:
      known === undefined
        ? didYouMean(name, names, `the backends are: ${names.join(", ") || "none"}`)
        : registration(known, mode, names),
  });
}

/** A name for GPUs that is not the name of the backend. */
const unknownGpu = (name: string, backend: string, names: readonly string[]): SconceError =>
  new SconceError({
    code: "UNKNOWN_BACKEND",
    message: `there is no backend "${name}"; the backend for GPUs is "${backend}"`,
    fix: names.includes(backend)
      ? `name it: "${backend}"`
      : registration(PACKAGES.get(backend)!, undefined, names),
  });

function registration(
  { install, factory }: { readonly install: string; readonly factory: string },
  mode: string | undefined,
  names: readonly string[],
): string {
  const module = install.split(" ")[0]!;
  const call = mode === undefined ? `${factory}()` : `${factory}({ name: "gpujs:${mode}", mode: "${mode}" })`;
  return (
    `install its package (\`npm install ${install}\`) and register it: ` +
    `\`import { ${factory} } from "${module}"; createSconce({ backends: [${call}] })\`; ` +
    `registered are: ${names.join(", ") || "none"}`
  );
}
