/** @file Stops a server without losing a request. */
import { Server as NetServer } from "node:net";
import { setImmediate as immediate, setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Scheduler } from "../pool/scheduler.js";
import type { Settings } from "../settings/options.js";

/** Milliseconds in which a client that keeps a connection learns that it is closed. */
const GRACE = 1000;
const LOOK_EVERY = 20;
/**
 * Rounds of the event loop without a new connection; the first may be the end of one that began
 * before.
 */
const QUIET_ROUNDS = 2;

/**
 * Stops a server. Responses say that their connection is closed from now on, and requests on open
 * connections are still answered: a client that sends one at this moment gets its answer, not a
 * reset.
 */
export async function stop(app: FastifyInstance, scheduler: Scheduler, settings: Settings): Promise<void> {
  const { drain, stopTimeout } = settings;
  const end = performance.now() + stopTimeout;
  const cut = setTimeout(() => app.server.closeAllConnections(), stopTimeout);
  if (drain > 0) await sleep(Math.min(drain, stopTimeout));
  await acceptWaiting(app, Math.min(performance.now() + GRACE, end));
  // The method of http.Server would close connections that wait for their next request, too.
  NetServer.prototype.close.call(app.server);
  const grace = Math.min(performance.now() + GRACE, end);
  while (performance.now() < grace && (await openConnections(app)) > 0) await sleep(LOOK_EVERY);
  await Promise.race([
    scheduler.drained(),
    sleep(Math.max(end - performance.now(), 0), undefined, { ref: false }),
  ]);
  await app.close();
  clearTimeout(cut);
  await scheduler.close();
}

/**
 * Accepts the connections that wait, which would be reset with the port: the event loop may accept
 * only one in each round. Ends at a time where new ones keep coming.
 */
async function acceptWaiting({ server }: FastifyInstance, end: number): Promise<void> {
  let isQuiet = true;
  const onConnection = (): void => {
    isQuiet = false;
  };
  server.on("connection", onConnection);
  for (let quiet = 0; quiet < QUIET_ROUNDS && performance.now() < end; ) {
    isQuiet = true;
    await immediate();
    quiet = isQuiet ? quiet + 1 : 0;
  }
  server.off("connection", onConnection);
}

const openConnections = (app: FastifyInstance): Promise<number> =>
  new Promise((resolve) => app.server.getConnections((error, count) => resolve(error === null ? count : 0)));
