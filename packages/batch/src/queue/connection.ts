/** @file Connections to Redis, and the packages that a queue needs. */
import { setTimeout as wait } from "node:timers/promises";
import type { Redis } from "ioredis";
import { badBatch, noQueue, notInstalled } from "../errors.js";

/** The packages of queues. */
export interface QueuePackages {
  readonly bullmq: typeof import("bullmq");
  readonly Redis: typeof Redis;
}

/** Loads the packages of queues. @throws SconceError `BATCH_PACKAGE` */
export async function loadQueue(): Promise<QueuePackages> {
  try {
    return { bullmq: await import("bullmq"), Redis: (await import("ioredis")).Redis };
  } catch (error) {
    throw notInstalled("bullmq ioredis", "a queue", error);
  }
}

/** A connection that is made again when it is lost, until its end. */
export interface Connection {
  readonly redis: Redis;
  end(): void;
}

/** The queue of runs that name none. */
export const QUEUE_NAME = "sconce-batch";

/** Returns the name of a queue. @throws SconceError `BATCH_OPTION` */
export function queueNameOf(name: string = QUEUE_NAME): string {
  if (name !== "" && !name.includes(":")) return name;
  throw badBatch(
    `the queue name ${JSON.stringify(name)} is empty or has a colon`,
    "give another --queue-name",
  );
}

/** Milliseconds that the first connection may take. */
const CONNECT_MS = 5000;

/**
 * Connects to Redis. A connection that is lost later is made again, as long as it takes.
 *
 * @param address `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS
 * @throws SconceError `BATCH_QUEUE`, `BATCH_OPTION`
 */
export async function connect(
  { Redis: Client }: QueuePackages,
  address: string,
  onWarning: (message: string) => void,
): Promise<Connection> {
  if (!/^rediss?:\/\/./.test(address))
    throw badBatch(
      "the queue is not an address of Redis",
      "give redis://HOST:PORT, or rediss://HOST:PORT for TLS",
    );
  const redis = new Client(address, {
    maxRetriesPerRequest: null,
    lazyConnect: true,
    retryStrategy: (times) => Math.min(100 * 2 ** Math.min(times, 5), 2000),
  });
  const shown = withoutPassword(address);
  let last: unknown = new Error("no connection within 5 seconds");
  let isUp = false;
  redis.on("error", (error) => {
    last = error;
  });
  let isEnded = false;
  redis.on("close", () => {
    if (isUp && !isEnded) onWarning(`the connection to ${shown} is lost; it is made again`);
    isUp = false;
  });
  redis.on("ready", () => {
    isUp = true;
  });
  const late = wait(CONNECT_MS, undefined, { ref: false }).then(() => {
    throw last;
  });
  try {
    await Promise.race([redis.connect().catch(() => late), late]);
    await Promise.race([redis.ping(), late]);
  } catch (error) {
    redis.disconnect();
    throw noQueue(shown, error);
  }
  const end = (): void => {
    isEnded = true;
    redis.disconnect();
  };
  return { redis, end };
}

/** Returns an address as messages show it. */
export function withoutPassword(address: string): string {
  try {
    const { protocol, host, pathname } = new URL(address);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return "of Redis";
  }
}
