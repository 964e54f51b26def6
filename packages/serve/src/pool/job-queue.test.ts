import { expect, test } from "vitest";
import { type Job, JobQueue } from "./job-queue.js";

/** Returns a call of one row that came at a time. */
const job = (since: number, group: string | undefined, model = 0): Job => ({
  model,
  inputs: [],
  rows: 1,
  group,
  since,
  alone: false,
  isDone: false,
  resolve: () => {},
  reject: () => {},
});

const COUNT = 200_000;

test("200,000 calls are added, merged, put back, and taken in the order of their arrival", () => {
  const queue = new JobQueue(1, { rows: COUNT / 2, delay: 0 });
  const jobs = Array.from({ length: COUNT }, (_, i) => job(i, i % 2 === 0 ? "even" : "odd"));
  for (const one of jobs) queue.add(one);
  expect(queue.length).toBe(COUNT);
  const even = queue.next(COUNT, false) as readonly Job[];
  expect(even).toHaveLength(COUNT / 2);
  expect(even.every(({ since }, i) => since === 2 * i)).toBe(true);
  expect(queue.length).toBe(COUNT / 2);
  queue.addAlone(even);
  expect(queue.length).toBe(COUNT);
  for (const i of [0, 2, 4]) expect(queue.next(COUNT, false)).toEqual([jobs[i]]);
  queue.remove(jobs[6]!);
  expect(queue.next(COUNT, false)).toEqual([jobs[8]]);
  const rest = queue.clear();
  expect(rest).toHaveLength(COUNT - 5);
  expect(rest.at(-1)).toBe(jobs.at(-1));
  expect([queue.length, queue.next(COUNT, false)]).toEqual([0, Number.POSITIVE_INFINITY]);
});

test("calls that run alone leave one by one", () => {
  const queue = new JobQueue(2, { rows: 8, delay: 0 });
  const jobs = Array.from({ length: 2000 }, (_, i) => job(i, undefined, i % 2));
  for (const one of jobs) queue.add(one);
  for (const one of jobs) expect(queue.next(2000, false)).toEqual([one]);
  expect(queue.length).toBe(0);
});
