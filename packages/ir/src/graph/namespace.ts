/**
 * @file PyTorch's naming rule for nodes (`torch/fx/graph.py`, `_Namespace.create_name`).
 */
import type { Node } from "./node.js";

const SPLIT = /^([a-zA-Z_][0-9a-zA-Z_]*?)(?:_(\d+))?$/;

const KEYWORDS =
  "False None True and as assert async await break class continue def del elif else except finally for from global if " +
  "import in is lambda nonlocal not or pass raise return try while with yield ";

/** Python keywords: none can be the name of a variable, an attribute or an argument. */
export const PYTHON_KEYWORDS: ReadonlySet<string> = new Set(KEYWORDS.trim().split(" "));

/**
 * Python keywords and builtins, and the names that torch.fx registers as globals: never used bare.
 */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  (
    KEYWORDS +
    "ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError " +
    "BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError " +
    "ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception " +
    "ExceptionGroup FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError " +
    "ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError " +
    "KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError NotImplemented " +
    "NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError " +
    "PythonFinalizationError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration " +
    "StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError " +
    "UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError " +
    "Warning ZeroDivisionError __build_class__ __debug__ __doc__ __import__ __loader__ __name__ __package__ __spec__ " +
    "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex " +
    "copyright credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals " +
    "hasattr hash help hex id input int isinstance issubclass iter len license list locals map max memoryview min next " +
    "object oct open ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str " +
    "sum super tuple type vars zip " +
    "inf nan NoneType torch device fx_pytree pytree"
  ).split(" "),
);

/**
 * Returns the name that `torch.fx` proposes for a node (`Graph._target_to_str`): a call of
 * `aten.add.Tensor` is `add_tensor`, one of `operator.getitem` is `getitem`, one of
 * `higher_order.cond` is `cond`.
 */
export function fxName({ op, target }: Pick<Node, "op" | "target">): string {
  if (op !== "call_function") return target;
  const parts = target.split(".");
  const name = parts.length >= 3 ? parts.slice(-2).join("_") : parts[parts.length - 1]!;
  return name.replace(/(?<=[a-z])([A-Z])/g, "_$1").toLowerCase();
}

/**
 * Hands out unique names the way `torch.fx` does: `add`, `add_1`, `max_1` (a builtin), `add__1`
 * after `add_`.
 */
export class Namespace {
  readonly #used = new Set<string>();
  /** The highest number so far, by base. */
  protected readonly counts = new Map<string, number>();
  readonly #isTaken: ((name: string) => boolean) | undefined;

  /** @param isTaken names that are in use elsewhere: as if all of them were reserved */
  constructor(isTaken?: (name: string) => boolean) {
    this.#isTaken = isTaken;
  }

  /** Marks a name as taken; it does not move the counter of its base. */
  reserve(name: string): void {
    this.#used.add(name);
  }

  /** Returns whether a name is taken. */
  has(name: string): boolean {
    return this.#used.has(name) || this.#isTaken?.(name) === true;
  }

  /**
   * Takes and returns a name that is not taken: the candidate, or the candidate with a number as
   * torch.fx appends it.
   */
  create(candidate: string): string {
    // A base that was counted before needs no further look, unless it may be a base with a number
    // itself.
    const last = candidate.charCodeAt(candidate.length - 1);
    const counted = last >= 48 && last <= 57 ? undefined : this.counts.get(candidate);
    let name = candidate;
    let [base, count] = [candidate, counted ?? 0];
    if (counted === undefined) {
      let match = SPLIT.exec(name);
      if (match === null) {
        name = name.replace(/[^0-9a-zA-Z_]+/g, "_") || "_unnamed";
        if (/^\d/.test(name)) name = `_${name}`;
        match = SPLIT.exec(name)!;
      }
      base = match[1]!;
      const isNumbered = match[2] !== undefined && !this.has(name);
      count = isNumbered ? Number(match[2]) : (this.counts.get(base) ?? 0);
    }
    // A reserved name gets a number at once; reserved names never end in `_<digits>`.
    if (RESERVED_NAMES.has(name)) name = `${base}_${++count}`;
    while (this.has(name)) name = `${base}_${++count}`;
    this.#used.add(name);
    this.counts.set(base, count);
    return name;
  }
}
