/** @file What this installation is made of, and what it lacks. */
import os from "node:os";
import { thrownText, VERSION } from "@sconce/errors";
import type { LineStyle } from "../colors.js";
import { json, type SafeIo } from "../io.js";
import type { BackendFacts } from "./backend-facts.js";
import { gpujsInProcess } from "./gpujs-check.js";
import { findPackage, type InstalledPackage } from "./installed-packages.js";

export interface DoctorOptions {
  readonly json?: boolean;
}

/** A package, with what it is for. */
interface PackageFacts {
  readonly name: string;
  /** Null where it is not installed. */
  readonly version: string | null;
  readonly path: string | null;
  /** Why it is there, or what it would add. */
  readonly use: string;
  /** How to get it. */
  readonly fix: string | null;
}

interface Facts {
  readonly sconce: string;
  readonly node: { readonly version: string; readonly supported: boolean; readonly needed: string };
  readonly system: {
    readonly os: string;
    readonly arch: string;
    readonly cpu: string;
    readonly cores: number;
    readonly memoryBytes: number;
  };
  readonly packages: readonly PackageFacts[];
  readonly backends: readonly BackendFacts[];
}

export async function doctor(options: DoctorOptions, io: SafeIo): Promise<void> {
  const facts = await collected();
  if (options.json) io.out(json({ ...facts, missing: missingOf(facts) }));
  else io.styled(textOf(facts), style);
}

/** The oldest Node that works, as `engines` of the packages say. */
const NODE = [20, 19] as const;

async function collected(): Promise<Facts> {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const cpus = os.cpus();
  return {
    sconce: VERSION,
    node: {
      version: process.versions.node,
      supported: major > NODE[0] || (major === NODE[0] && minor >= NODE[1]),
      needed: `>=${NODE.join(".")}`,
    },
    system: {
      os: `${os.type()} ${os.release()}`,
      arch: os.arch(),
      cpu: cpus[0]?.model.trim() || "unknown",
      cores: cpus.length,
      memoryBytes: os.totalmem(),
    },
    packages: PACKAGES.map(packageFacts),
    backends: [CPU, await wasmFacts(), ...(await gpujsInProcess())],
  };
}

const OWN =
  "errors tensor symbolic ir drawing ops trace passes codegen formats backend-cpu device-runtime wasm backend-wasm backend-gpujs session studio source-check torch capture torch-libraries quantization build batch serve cli";

/** Packages by name: what each is for, and from which one it is looked for. */
const PACKAGES: readonly { name: string; use: string; from?: string; install?: string }[] = [
  { name: "sconce", use: "what programs import", install: "npm install sconce" },
  ...OWN.split(" ").map((name) => ({
    name: `@sconce/${name}`,
    use: "part of sconce",
    install: "npm install sconce",
  })),
  {
    name: "gpu.js",
    use: "the backend gpujs, all modes",
    from: "@sconce/backend-gpujs",
    install: "npm install gpu.js",
  },
  {
    name: "webgpu",
    use: "the mode gpujs:webgpu in Node",
    from: "@sconce/backend-gpujs",
    install: "npm install webgpu",
  },
  { name: "fastify", use: "sconce serve", from: "@sconce/serve", install: "npm install fastify" },
  { name: "prom-client", use: "sconce serve", from: "@sconce/serve", install: "npm install prom-client" },
];

function packageFacts({ name, use, from, install }: (typeof PACKAGES)[number]): PackageFacts {
  const found: InstalledPackage | undefined = findPackage(name, from);
  return {
    name,
    version: found?.version ?? null,
    path: found?.path ?? null,
    use,
    fix: found === undefined ? (install ?? null) : null,
  };
}

const CPU: BackendFacts = {
  name: "cpu",
  available: true,
  device: "interpreter in JavaScript",
  hardware: false,
  reason: null,
  fix: null,
};

async function wasmFacts(): Promise<BackendFacts> {
  const none = { name: "wasm", available: false, device: null, hardware: false };
  try {
    const { reportWasm } = await import("@sconce/backend-wasm");
    const { device = null, reason = null, fix = null } = reportWasm();
    return { ...none, available: device !== null, device, reason, fix };
  } catch (error) {
    const reason = `its package cannot be loaded: ${thrownText(error)}`;
    return { ...none, reason, fix: "npm install @sconce/backend-wasm" };
  }
}

/** Returns what is not there, with what to do. */
function missingOf({ node, packages, backends }: Facts): { what: string; reason: string; fix: string }[] {
  return [
    ...(node.supported
      ? []
      : [
          {
            what: "Node.js",
            reason: `version ${node.version} is too old`,
            fix: `install Node ${node.needed}`,
          },
        ]),
    ...packages
      .filter(({ version }) => version === null)
      .map(({ name, use, fix }) => ({
        what: name,
        reason: `not installed; it is for ${use}`,
        fix: fix ?? "",
      })),
    ...backends
      .filter(({ available }) => !available)
      .map(({ name, reason, fix }) => ({ what: name, reason: reason ?? "", fix: fix ?? "" })),
  ];
}

const GIB = 2 ** 30;

function textOf(facts: Facts): string {
  const { sconce, node, system, packages, backends } = facts;
  const width = Math.max(...[...packages, ...backends].map(({ name }) => name.length));
  const missing = missingOf(facts);
  const lines = [
    `sconce ${sconce}, node ${node.version} (${node.supported ? "supported" : `not supported: ${node.needed} is needed`})`,
    `${system.os} ${system.arch}, ${system.cores} x ${system.cpu}, ${(system.memoryBytes / GIB).toFixed(1)} GiB`,
    "packages:",
    ...packages.map(
      ({ name, version, use }) => `  ${name.padEnd(width)}  ${(version ?? "-").padEnd(8)}  ${use}`,
    ),
    "backends:",
    ...backends.map(({ name, available, device, hardware }) =>
      `  ${name.padEnd(width)}  ${(available ? "yes" : "no").padEnd(8)}  ${device === null ? "" : device + (hardware ? "" : ", no GPU")}`.trimEnd(),
    ),
    ...(missing.length === 0 ? ["nothing is missing"] : ["missing:"]),
    ...missing.flatMap(({ what, reason, fix }) => [`  ${what}: ${reason}`, `    fix ${fix}`]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

const style: LineStyle = (line, { bold, green, red, dim }) =>
  /^\w+:$/.test(line)
    ? bold(line)
    : line
        .replace(/^( {2}\S+ +)yes(?= )/, (_, name: string) => `${name}${green("yes")}`)
        .replace(/^( {2}\S+ +)no$/, (_, name: string) => `${name}${red("no")}`)
        .replace(/^ {4}fix(?= )/, dim("    fix"));
