/** @file A real Redis for tests, and a proxy before it that loses its connections. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** Whether `redis-server` is installed. */
export const HAS_REDIS: boolean = spawnSync("redis-server", ["--version"]).status === 0;

/** Returns what to add to the names of tests that are skipped without Redis. */
export const redisNote = (): string => (HAS_REDIS ? "" : ": skipped, redis-server is not installed");

/** Returns a port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** A Redis that writes every change to its folder before it answers. */
export class TestRedis {
  readonly port: number;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  private constructor(port: number, folder: string) {
    this.port = port;
    this.#folder = folder;
  }

  static async start(folder: string): Promise<TestRedis> {
    const redis = new TestRedis(await freePort(), folder);
    await redis.start();
    return redis;
  }

  get address(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the server, with what it kept. */
  async start(): Promise<void> {
    const options = ["--appendonly", "yes", "--appendfsync", "always", "--save", "", "--bind", "127.0.0.1"];
    this.#process = spawn(
      "redis-server",
      ["--port", String(this.port), "--dir", this.#folder, ...options, "--loglevel", "warning"],
      { stdio: "ignore" },
    );
    for (;;) {
      if (this.#process.exitCode !== null)
        throw new Error(`redis-server ended with ${this.#process.exitCode}`);
      const socket = connect(this.port, "127.0.0.1");
      const isUp = await Promise.race([
        once(socket, "connect").then(() => true),
        once(socket, "error").then(() => false),
      ]).catch(() => false);
      socket.destroy();
      if (isUp) return;
      await wait(20);
    }
  }

  /** Ends the server; what it wrote stays. */
  async stop(): Promise<void> {
    const process = this.#process;
    if (process === undefined || process.exitCode !== null) return;
    const ended = once(process, "exit");
    process.kill("SIGTERM");
    await ended;
  }
}

/** Passes connections on to a port, and can lose all of them. */
export class TestProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(target: number) {
    this.#server = createServer((socket) => {
      if (this.#isCut) {
        socket.destroy();
        return;
      }
      const behind = connect(target, "127.0.0.1");
      for (const [one, other] of [
        [socket, behind],
        [behind, socket],
      ] as const) {
        this.#sockets.add(one);
        one.on("error", () => other.destroy());
        one.on("close", () => {
          this.#sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
  }

  static async start(target: number): Promise<TestProxy> {
    const proxy = new TestProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get address(): string {
    return `redis://127.0.0.1:${(this.#server.address() as { readonly port: number }).port}`;
  }

  /** Loses all connections, and takes none for a while. */
  async cut(milliseconds: number): Promise<void> {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
    await wait(milliseconds);
    this.#isCut = false;
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
