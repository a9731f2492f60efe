import type { CheckEntry, Entries } from './entry.ts';

const tail = 'A bound of the scenario (`slo`) at the 90th percentile or above.';
const crossed = 'A scenario that judges contract and latency, with `crossed: true`, and sessions to spend.';
const pool = 'A capacity study that reaches no limit, usually with a pool of keys.';

/** Each bound on latency of a scenario has an id that ends in its number. */
export const sloEntry: CheckEntry = {
  title: 'The named percentile of response time stays within the bound of the scenario',
  needs: 'A bound in the scenario (`slo`), and enough answers: 100 for a 99th percentile.',
  failing: 'Shoppers wait longer than the scenario allows.',
  toDo: 'See in the report whether the target stood still or could not keep up, then profile the slowest requests.',
};

/** Checks of latency and capacity. */
export const speedEntries = {
  'latency.connections': {
    title: 'The first request of a new connection is as fast as the next one',
    needs: crossed,
    failing: 'Each new shopper, and each client after a pause, waits longer.',
    toDo: 'Look for work that is done once for each connection, such as a handshake with a backend or a lookup.',
  },
  'latency.each-connection': {
    title: 'No connection is slower than the others',
    needs: 'A load on at least two connections, with 20 requests each.',
    failing: 'Some shoppers wait longer than others, for as long as their connection lasts.',
    toDo: 'Find out which process or node serves the slow connections: `local_port` in the history is their port.',
  },
  'latency.large-list': {
    title: 'The list of the largest single import keeps the latency bound of lists',
    needs: 'A bound of the scenario (`slo`) on `list-shades` at the 90th percentile or above.',
    failing: 'Product pages with large catalogs load slowly, even without load.',
    toDo: 'Look for one query per shade, and for a missing index.',
  },
  'latency.neighbours': {
    title: 'No endpoint waits while another one works',
    needs: crossed,
    failing: 'A slow report or an import holds up shoppers.',
    toDo: 'Look for a lock, a transaction or a worker that both endpoints need.',
  },
  'latency.opening': {
    title: 'Connections open within the promised time',
    needs: 'A promise in the profile (`opening_bound`), and connections that the run opened.',
    failing: 'Shoppers wait before their first request is sent, which no bound on response times counts.',
    toDo: 'Look at the queue of connections that wait to be accepted, at TLS, and at the network between.',
  },
  'latency.outside-load': {
    title: 'No key, catalog, product or locale is slower than the bounds allow, outside the load as well',
    needs: 'A bound of the scenario (`slo`), and requests before or after the load.',
    failing:
      'Some customers or catalogs wait longer than the scenario allows, or the first shopper of each does.',
    toDo: 'Look for what is different about them: more data, another shard, or a cache that is empty at first.',
  },
  'latency.regular': {
    title: 'No periodic slow requests',
    needs: tail,
    failing: 'Some shoppers wait for periodic work of the target.',
    toDo: 'Move periodic work, such as log flushes or cache refills, out of the requests.',
  },
  'latency.table': {
    title:
      'Every answer has a service time and a response time that is at least as long, and neither is negative',
    needs: 'At least one answered ordinary request.',
    failing: 'The run has a defect of tryon or a damaged history; the target is not to blame.',
    toDo: 'Check `history.integrity`, and report the defect if that check passed.',
  },
  'latency.trend': {
    title: 'Service times do not grow while the run lasts and the load stays the same',
    needs: 'At least one minute of load, and 16 stretches of it with nearly the same request rate.',
    failing: 'The longer the service runs, the slower it gets.',
    toDo: 'Look for what grows with uptime: a table without an index, a list in memory, or a connection that leaks.',
  },
  'capacity.concurrency': {
    title: 'The highest number of connections that keeps the promise on service time is known',
    needs: pool,
    failing: 'This check never fails; if it is inconclusive, that number is not known.',
    toDo: 'Give the study more time, more connections or more keys, as the explanation says.',
  },
  'capacity.knee': {
    title: 'A closed loop reaches the promised request rate before a latency bound breaks',
    needs: 'A `saturate` phase that reaches no limit, and a latency bound of the scenario.',
    failing: 'The target is too slow for the request rate that it promises.',
    toDo: 'Look for the resource that is exhausted at the first step over the bound.',
  },
  'capacity.rate': {
    title: 'The promise on response time holds at the promised request rate',
    needs: pool,
    failing: 'Shoppers wait too long at a request rate that the target promises.',
    toDo: 'Look for the resource that is exhausted at the lowest rate that breaks the promise.',
  },
} as const satisfies Entries<'latency' | 'capacity'>;
