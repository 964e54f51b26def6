/**
 * @file The entry `.data/serialization_id` of archives of PyTorch: a fingerprint of the names and
 * of the data. PyTorch keeps the names in an `std::unordered_set` and combines their hashes in its
 * order, so this file has the hash function and the order of libstdc++, which PyTorch for Linux
 * uses.
 */
import { utf8 } from "./utf8.js";

const MASK = 2n ** 64n - 1n;
/** MurmurHash64A, as `std::hash<std::string>` of libstdc++ computes it. */
const MULTIPLIER = 0xc6a4a7935bd1e995n;
const SEED = 0xc70f6907n;

const product = (a: bigint, b: bigint): bigint => (a * b) & MASK;
const mixed = (value: bigint): bigint => value ^ (value >> 47n);

function hashOf(name: string): bigint {
  const bytes = utf8(name);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.length - (bytes.length % 8);
  let hash = SEED ^ product(BigInt(bytes.length), MULTIPLIER);
  for (let at = 0; at < whole; at += 8) {
    const word = product(mixed(product(view.getBigUint64(at, true), MULTIPLIER)), MULTIPLIER);
    hash = product(hash ^ word, MULTIPLIER);
  }
  if (whole < bytes.length) {
    let rest = 0n;
    for (let at = bytes.length - 1; at >= whole; at--) rest = (rest << 8n) | BigInt(bytes[at]!);
    hash = product(hash ^ rest, MULTIPLIER);
  }
  return mixed(product(mixed(hash), MULTIPLIER));
}

/** `at::hash_combine` of PyTorch. */
const combined = (seed: bigint, value: bigint): bigint =>
  (seed ^ (value + 0x9e3779b9n + ((seed << 6n) & MASK) + (seed >> 2n))) & MASK;

/** Numbers of buckets that a growing set of libstdc++ has, one after another. */
const BUCKETS = [
  13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061, 712697, 1447153,
  2938679,
];

/** An item of the set; the items form one list, and those of a bucket stand together. */
interface Item {
  readonly hash: bigint;
  next: Item | undefined;
}

/** The order of a set of strings of libstdc++: new items come first in their bucket. */
class HashSet {
  #first: Item | undefined;
  /** The item before the first of a bucket; null for the bucket at the front of the list. */
  #before = new Map<number, Item | null>();
  #size = 0;
  #buckets = 0;

  add(hash: bigint): void {
    if (this.#size >= this.#buckets) this.#grow();
    this.#size++;
    this.#insert({ hash, next: undefined });
  }

  *hashes(): Generator<bigint> {
    for (let item = this.#first; item !== undefined; item = item.next) yield item.hash;
  }

  #grow(): void {
    this.#buckets = BUCKETS.find((count) => count > this.#size) ?? 2 * this.#buckets + 1;
    this.#before = new Map();
    let item = this.#first;
    this.#first = undefined;
    while (item !== undefined) {
      const { next } = item;
      this.#insert(item);
      item = next;
    }
  }

  #insert(item: Item): void {
    const bucket = this.#bucketOf(item);
    const before = this.#before.get(bucket);
    if (before === undefined) {
      item.next = this.#first;
      this.#first = item;
      if (item.next !== undefined) this.#before.set(this.#bucketOf(item.next), item);
      this.#before.set(bucket, null);
    } else if (before === null) {
      item.next = this.#first;
      this.#first = item;
    } else {
      item.next = before.next;
      before.next = item;
    }
  }

  #bucketOf({ hash }: Item): number {
    return Number(hash % BigInt(this.#buckets));
  }
}

/** Collects the entries of an archive, in the order in which they are written. */
export class SerializationId {
  readonly #names = new HashSet();
  #data = 0n;

  /** Adds an entry, by its name without the folder of the archive. */
  add(name: string, size: number, crc: number): void {
    this.#names.add(hashOf(name));
    if (size > 0) this.#data = combined(this.#data, BigInt(crc));
  }

  /** Returns the 40 digits of the entry. */
  text(): string {
    let names = 0n;
    for (const hash of this.#names.hashes()) names = combined(names, hash);
    return [names, this.#data].map((part) => part.toString().padStart(20, "0")).join("");
  }
}
