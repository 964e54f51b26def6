/** @file The functions and methods of PyTorch's tables, made on first use. */
import type { Tensor } from "@sconce/tensor";
import { type AnyFunction, callFunction, callSignatures } from "./call-function.js";
import { camelCase } from "./names.js";
import { type Signature, signaturesOf } from "./parameters.js";
import type { Keywords } from "./parse-call.js";
import { named } from "./python-function.js";
import {
  FFT_LINES,
  LINALG_LINES,
  NN_LINES,
  SPECIAL_LINES,
  TENSOR_LINES,
  TORCH_LINES,
} from "./signature-lines.js";

type Lookup = (name: string) => readonly Signature[];

/** Signatures by PyTorch's name; a line is read when its function is called first. */
function lookup(lines: readonly string[], isMethod: boolean): { names: readonly string[]; find: Lookup } {
  const byName = new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), line]));
  const read = new Map<string, readonly Signature[]>();
  const find = (name: string): readonly Signature[] => {
    let found = read.get(name);
    if (found === undefined) {
      found = signaturesOf(byName.get(name)!, isMethod);
      read.set(name, found);
    }
    return found;
  };
  return { names: [...byName.keys()], find };
}

const TORCH = lookup(TORCH_LINES, false);
const NN = lookup(NN_LINES, false);
const FFT = lookup(FFT_LINES, false);
const LINALG = lookup(LINALG_LINES, false);
const SPECIAL = lookup(SPECIAL_LINES, false);
const METHODS = lookup(TENSOR_LINES, true);

/** Modules of Python whose functions are written in C. */
const MODULES: Readonly<Record<string, string>> = {
  functional: "torch._C._nn",
  "torch.fft": "torch._C._fft",
  "torch.linalg": "torch._C._linalg",
  "torch.special": "torch._C._special",
};

/** Functions by camelCase name, of a table whose names may begin with a prefix. */
function functionsOf(
  { names, find }: { readonly names: readonly string[]; readonly find: Lookup },
  shownAs: string,
  prefix = "",
): Record<string, AnyFunction> {
  const functions: Record<string, AnyFunction> = {};
  for (const name of names) {
    const short = camelCase(name.startsWith(prefix) ? name.slice(prefix.length) : name);
    functions[short] = (...given) =>
      named(
        name,
        "builtin_function_or_method",
        () => callFunction(`${shownAs}.${short}`, find(name), undefined, given),
        `${MODULES[shownAs] ?? "torch"}.${name}`,
      );
  }
  return functions;
}

/** Returns the generated functions of `torch`, by camelCase name. */
export const torchFunctions = (): Record<string, AnyFunction> => functionsOf(TORCH, "torch");
/** Returns the generated functions of `torch._C._nn`, by camelCase name. */
export const nnFunctions = (): Record<string, AnyFunction> => functionsOf(NN, "functional");
/** Returns the generated functions of `torch.fft`. */
export const fftFunctions = (): Record<string, AnyFunction> => functionsOf(FFT, "torch.fft", "fft_");
/** Returns the generated functions of `torch.linalg`. */
export const linalgFunctions = (): Record<string, AnyFunction> =>
  functionsOf(LINALG, "torch.linalg", "linalg_");
/** Returns the generated functions of `torch.special`. */
export const specialFunctions = (): Record<string, AnyFunction> =>
  functionsOf(SPECIAL, "torch.special", "special_");

/** Returns the generated methods of tensors, by camelCase name. */
export function tensorMethods(): Record<string, (this: Tensor, ...given: readonly unknown[]) => unknown> {
  const methods: Record<string, (this: Tensor, ...given: readonly unknown[]) => unknown> = {};
  for (const name of METHODS.names) {
    const short = camelCase(name);
    methods[short] = function (this: Tensor, ...given: readonly unknown[]) {
      return named(name, "method_descriptor", () =>
        callFunction(`Tensor.${short}`, METHODS.find(name), this, given),
      );
    };
  }
  return methods;
}

const TABLES: Readonly<Record<string, { readonly find: Lookup }>> = {
  torch: TORCH,
  nn: NN,
  fft: FFT,
  linalg: LINALG,
  special: SPECIAL,
  Tensor: METHODS,
};

/**
 * Returns the signatures of the functions of `torch`, `nn`, `fft`, `linalg`, `special`, or of
 * methods.
 */
export const signatureTable = (home: string): Lookup => TABLES[home]!.find;

const NO_KEYWORDS: Keywords = Object.freeze({});

/** Calls a generated function of `torch` by PyTorch's name. */
export const callTorch = (name: string, args: readonly unknown[], kwargs: Keywords = NO_KEYWORDS): unknown =>
  callSignatures(`torch.${camelCase(name)}`, TORCH.find(name), undefined, args, kwargs);

/** Calls a generated function of `torch._C._nn` by PyTorch's name. */
export const callNn = (name: string, args: readonly unknown[], kwargs: Keywords = NO_KEYWORDS): unknown =>
  callSignatures(`functional.${camelCase(name)}`, NN.find(name), undefined, args, kwargs);

/** Calls a generated method by PyTorch's name. */
export const callMethod = (
  self: Tensor,
  name: string,
  args: readonly unknown[] = [],
  kwargs: Keywords = NO_KEYWORDS,
): unknown => callSignatures(`Tensor.${camelCase(name)}`, METHODS.find(name), self, args, kwargs);
