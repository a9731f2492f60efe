/** The timer thread of an `Alarm`: sleeps until the instant that it is given, and then wakes the thread that gave it. */
import { workerData } from 'node:worker_threads';
import { type AlarmMemory, noInstant, theEnd } from './alarm.ts';

const { dueNs, rings } = workerData as AlarmMemory;

for (;;) {
  const atNs = Atomics.load(dueNs, 0);
  if (atNs === theEnd) break;
  const leftMs = atNs === noInstant ? Number.POSITIVE_INFINITY : Number(atNs - process.hrtime.bigint()) / 1e6;
  // A new instant ends the sleep as well.
  if (leftMs > 0) Atomics.wait(dueNs, 0, atNs, leftMs);
  else if (Atomics.compareExchange(dueNs, 0, atNs, noInstant) === atNs) {
    Atomics.add(rings, 0, 1);
    Atomics.notify(rings, 0);
  }
}
