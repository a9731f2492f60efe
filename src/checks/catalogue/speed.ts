import type { CheckEntry, Entries } from './entry.ts';

const tail = 'A bound of the scenario (`slo`) at the 90th percentile or above.';
const crossed = 'A scenario that judges contract and latency, with `crossed: true`, and sessions to spend.';
const pool = 'A capacity study that reaches no limit, usually with a pool of keys.';

/** Each bound on latency of a scenario has an id that ends in its number. */
export const sloEntry: CheckEntry = {
  title: 'The named percentile of response time stays within the bound of the scenario',
  needs: 'A bound in the scenario (`slo`), and enough answers: 100 for a 99th percentile.',
};

/** Checks of latency and capacity. */
export const speedEntries = {
  'latency.connections': {
    title: 'The first request of a new connection is as fast as the next one',
    needs: crossed,
  },
  'latency.each-connection': {
    title: 'No connection is slower than the others',
    needs: 'A load on at least two connections, with 20 requests each.',
  },
  'latency.large-list': {
    title: 'The list of the largest single import keeps the latency bound of lists',
    needs: 'A bound of the scenario (`slo`) on `list-shades` at the 90th percentile or above.',
  },
  'latency.neighbours': {
    title: 'No endpoint waits while another one works',
    needs: crossed,
  },
  'latency.opening': {
    title: 'Connections open within the promised time',
    needs: 'A promise in the profile (`opening_bound`), and connections that the run opened.',
  },
  'latency.outside-load': {
    title: 'No key, catalog, product or locale is slower than the bounds allow, outside the load as well',
    needs: 'A bound of the scenario (`slo`), and requests before or after the load.',
  },
  'latency.regular': {
    title: 'No periodic slow requests',
    needs: tail,
  },
  'latency.table': {
    title:
      'Every answer has a service time and a response time that is at least as long, and neither is negative',
    needs: 'At least one answered ordinary request.',
  },
  'latency.trend': {
    title: 'Service times do not grow while the run lasts and the load stays the same',
    needs: 'At least one minute of load, and 16 stretches of it with nearly the same request rate.',
  },
  'capacity.concurrency': {
    title: 'The highest number of connections that keeps the promise on service time is known',
    needs: pool,
  },
  'capacity.knee': {
    title: 'A scenario that asks for capacity measures it',
    needs: 'A study of capacity (`studyCapacity`).',
  },
  'capacity.rate': {
    title: 'The promise on response time holds at the promised request rate',
    needs: pool,
  },
} as const satisfies Entries<'latency' | 'capacity'>;
