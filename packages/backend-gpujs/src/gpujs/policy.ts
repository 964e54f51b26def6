/**
 * @file What a page's content security policy forbids: some modes of gpu.js compile their kernels
 * in ways that a page has to allow.
 */
import type { Mode } from "../device/mode.js";

/** The directive that a mode needs, and what tries it. */
interface Need {
  readonly does: string;
  readonly directive: string;
  attempt(): void;
}

/** The module of no functions. */
const EMPTY_MODULE = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/** Shaders need nothing: the browser compiles them as data. */
const NEEDS: Readonly<Partial<Record<Mode, Need>>> = {
  webasm: {
    does: "compiling WebAssembly",
    directive: "script-src 'self' 'wasm-unsafe-eval'",
    attempt: () => void new WebAssembly.Module(new Uint8Array(EMPTY_MODULE)),
  },
  cpu: {
    does: "making functions of texts",
    directive: "script-src 'self' 'unsafe-eval'",
    // As gpu.js does it; its own attempt hides what the browser says.
    attempt: () => void Reflect.construct(Function, []),
  },
};

/** A policy stays while its page is open. */
const known = new Map<Mode, string | undefined>();

/** Returns why the page's policy forbids a mode; undefined where it does not. */
export function whyForbidden(mode: Mode): string | undefined {
  const need = NEEDS[mode];
  if (need === undefined) return undefined;
  if (!known.has(mode)) known.set(mode, reasonOf(need));
  return known.get(mode);
}

function reasonOf({ does, directive, attempt }: Need): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (!isForbidden(error)) return undefined;
    return `the content security policy of the page forbids ${does}; it takes \`${directive}\``;
  }
}

/** Browsers throw these kinds of errors for what a policy forbids. */
const isForbidden = (error: unknown): boolean =>
  error instanceof EvalError ||
  error instanceof WebAssembly.CompileError ||
  (error instanceof Error && /content.security.policy|unsafe-eval/i.test(error.message));
