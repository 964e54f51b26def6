/** @file What a worker does: it reads messages, and computes parts of jobs until there are more. */
import { Control } from "./control.js";
import { Instances, type LoadFunctions, type SharedModule } from "./modules.js";

/** What the pool sends to a worker. */
export type PoolMessage =
  | { readonly kind: "start"; readonly buffer: SharedArrayBuffer; readonly thread: number }
  | { readonly kind: "add"; readonly shared: SharedModule }
  | { readonly kind: "delete"; readonly id: number };
/** What a worker sends to the pool. */
export type WorkerMessage =
  /** It has read so many messages. */
  | { readonly kind: "read"; readonly messages: number }
  /** A part of a job failed. */
  | { readonly kind: "failed"; readonly reason: string };

/**
 * Serves a pool. The returned function is called for each message, in order; while there are none,
 * it does not return.
 */
export function servePool(
  send: (message: WorkerMessage) => void,
  functions: LoadFunctions,
): (message: PoolMessage) => void {
  let control: Control | undefined;
  let instances: Instances | undefined;
  let read = 0;
  let before: Promise<void> = Promise.resolve();
  const take = async (message: PoolMessage): Promise<void> => {
    if (message.kind === "start") {
      control = new Control(message.buffer, message.thread);
      instances = new Instances(message.thread, functions);
    } else if (message.kind === "add") await instances!.add(message.shared);
    else instances!.delete(message.id);
    read++;
    send({ kind: "read", messages: read });
    while (control!.messages === read) {
      try {
        control!.sleep(control!.work(instances!.run, instances!.has), read);
      } catch (error) {
        send({ kind: "failed", reason: error instanceof Error ? error.message : String(error) });
      }
    }
  };
  return (message) => {
    before = before.then(() => take(message));
  };
}
