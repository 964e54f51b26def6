/**
 * @file Copies of a package in one process. Classes and functions of two copies do not know each
 * other: `instanceof` is false and private fields cannot be read. What Sconce makes therefore
 * carries the copy that made it, under a symbol that all copies share, and mixing them is refused.
 */
import { SconceError } from "./sconce-error.js";
import { VERSION } from "./version.js";
import { withArticle } from "./words.js";

/** One copy of a package, as it was loaded. */
export interface PackageCopy {
  /** The name of the package: `@sconce/tensor`. */
  readonly package: string;
  /** Its version: `0.1.0`. */
  readonly version: string;
  /** The file that holds this copy; undefined where the engine does not report it. */
  readonly file: string | undefined;
}

/** The class or function, and the copy of its package, that made an object. */
interface Maker {
  /** What the object is: `Tensor`, `pass`. */
  readonly kind: string;
  readonly copy: PackageCopy;
}

/** Shared by all copies, so its value must keep its form: `{ kind, copy: PackageCopy }`. */
const MADE_BY = /* @__PURE__ */ Symbol.for("sconce.made-by");

/**
 * Describes the copy of a package; each package calls it once, when it is loaded. The file comes
 * from the stack: bundlers may change `import.meta.url`.
 */
export function packageCopy(name: string): PackageCopy {
  // The text of the stack is made when it is first read: few programs ask for the file.
  const loaded = new Error();
  return {
    package: name,
    version: VERSION,
    get file() {
      return callerIn(loaded.stack);
    },
  };
}

/** Returns the file of the second frame: the first is {@link packageCopy} itself. */
function callerIn(stack: string | undefined): string | undefined {
  const places = [
    ...(stack ?? "").matchAll(/(?:\(|at |@)((?:file:|https?:|\/|[A-Za-z]:\\)[^\s()]*?):\d+:\d+/g),
  ];
  const file = (places[1] ?? places[0])?.[1];
  return file?.startsWith("file://") ? decodeURIComponent(file.slice("file://".length)) : file;
}

type Class = abstract new (...args: never[]) => unknown;

/**
 * Lets the instances of a class carry their copy, and `instanceof` refuse those of another copy.
 *
 * @param kind the name of the class, which bundlers change
 */
export function markClass(type: Class, kind: string, copy: PackageCopy): void {
  const maker: Maker = { kind, copy };
  Object.defineProperty(type.prototype, MADE_BY, { value: maker });
  const isSubclass = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (isSubclass.call(this as Class, value)) return true;
      if (typeof value !== "object" || value === null || !(MADE_BY in value)) return false;
      const found = (value as Made)[MADE_BY];
      if (found !== undefined && found.copy !== copy && found.kind === kind) throw twoCopies(found, copy);
      return false;
    },
  });
}

type Made = { readonly [MADE_BY]?: Maker };

/** Lets an object carry the copy that made it. Returns the object. */
export function markObject<T extends object>(value: T, kind: string, copy: PackageCopy): T {
  const maker: Maker = { kind, copy };
  return Object.defineProperty(value, MADE_BY, { value: maker });
}

/**
 * Refuses what another copy of the package made.
 * @throws SconceError `TWO_COPIES` with both copies
 */
export function requireSameCopy(value: unknown, copy: PackageCopy): void {
  if (typeof value !== "object" || value === null) return;
  const found = (value as Made)[MADE_BY];
  if (found === undefined || found.copy === copy || found.copy.package !== copy.package) return;
  throw twoCopies(found, copy);
}

/**
 * Returns the error for a value that lacks the private fields of a class: it belongs to another
 * copy, or is not an instance.
 */
export function foreignInstance(value: unknown, kind: string, copy: PackageCopy): SconceError {
  const found = typeof value === "object" && value !== null ? (value as Made)[MADE_BY] : undefined;
  if (found !== undefined && found.copy !== copy) return twoCopies(found, copy);
  return new SconceError({
    code: "INVALID_ARGUMENT",
    message: `${found === undefined ? `a value of type ${typeof value}` : withArticle(found.kind)} where ${withArticle(kind)} of ${copy.package} is expected`,
    fix: `pass ${withArticle(kind)}`,
  });
}

const twoCopies = ({ kind, copy: other }: Maker, own: PackageCopy): SconceError =>
  new SconceError({
    code: "TWO_COPIES",
    message: `two copies of ${own.package} are loaded: ${withArticle(kind)} of ${copyText(other)} was given to ${copyText(own)}`,
    where: own.package,
    fix: "load one copy: packages that use Sconce declare it under `peerDependencies`; then run `npm dedupe`, or set `resolve.dedupe` of the bundler",
  });

const copyText = ({ version, file }: PackageCopy): string =>
  `version ${version}${file === undefined ? "" : ` (${file})`}`;
