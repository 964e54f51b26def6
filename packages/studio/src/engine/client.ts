/** @file The engine as the page has it: each request is a message, and gives a promise. */
import type { Progress } from "@sconce/errors";
import { engineLost } from "../errors.js";
import type { Answer, Failure, FromEngine, ToEngine } from "./messages.js";
import type { RequestName, Requests } from "./protocol.js";

/** A failure of a request: a typed error of Sconce, or anything else. */
export class RequestError extends Error {
  /** The code of a typed error. */
  readonly code: string | undefined;
  /** What to do about it. */
  readonly fix: string | undefined;
  /** Where it failed. */
  readonly where: string | undefined;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "RequestError";
    this.code = "code" in failure ? failure.code : undefined;
    this.fix = "code" in failure ? failure.fix : undefined;
    this.where = "code" in failure ? failure.where : undefined;
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** How a request is watched and stopped. */
export interface RequestOptions {
  /** Called as the work goes on. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Stops the work. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends requests to an engine in a worker, or in the page itself. */
export class EngineClient {
  readonly #post: (message: ToEngine) => void;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #lost: Error | undefined;

  constructor(post: (message: ToEngine) => void) {
    this.#post = post;
  }

  /** Takes a message of the engine. */
  receive(message: FromEngine): void {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    if ("progress" in message) {
      waiting.onProgress?.(message.progress);
      return;
    }
    this.#waiting.delete(message.id);
    if ("error" in message) waiting.reject(new RequestError(message.error));
    else waiting.resolve(message.result);
  }

  /** Fails all requests that wait, and all later ones. */
  lose(reason: string): void {
    this.#lost = engineLost(reason);
    for (const { reject } of this.#waiting.values()) reject(this.#lost);
    this.#waiting.clear();
  }

  /**
   * Asks the engine for something.
   * @throws RequestError what the engine threw
   */
  request<K extends RequestName>(
    name: K,
    args: Parameters<Requests[K]>,
    { onProgress, signal }: RequestOptions = {},
  ): Answer<K> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    const id = ++this.#last;
    const cancel = (): void => this.#post({ id, cancel: true });
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onProgress });
      this.#post({ id, name, args });
      if (signal?.aborted === true) cancel();
      else signal?.addEventListener("abort", cancel, { once: true });
    });
    const done = answer.finally(() => signal?.removeEventListener("abort", cancel));
    return done as Answer<K>;
  }
}
