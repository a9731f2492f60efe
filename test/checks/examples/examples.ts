import type { Wording } from '../../../src/checks/reasons/words/wording.ts';

/** A parameter that each format of a template takes; one that is not here takes a number. */
const byFormat: Readonly<Record<string, unknown>> = {
  text: 'that',
  list: ['one', 'two'],
  range: { min: 2, max: 3 },
  request: 'create-session',
  requests: ['create-session', 'list-shades'],
  answered: ['list-shades 404', 'create-session 422'],
  keys: { key: 'load', endpoint: null },
  pace: { requests: 100, windowMs: 6_000 },
  kind: 'fixed-window',
  size: { limit: 100, windowMs: 6_000, refillPerS: null },
};

const range = (min: number, max = min) => ({ min, max });
const pace = (limit: number, windowMs: number) => ({ limit, windowMs });
const sku = 'SKU-1';
const period = 'lipstick, 2026-05-01 / 2026-05-31';

/** What a parameter of this name is in most wordings, where it is more than a number or a flag. */
const byName: Readonly<Record<string, unknown>> = {
  ...{ endpoint: 'create-session', endpoints: ['read-session'], request: 'bad-key', catalog: 'c1' },
  ...{ statuses: [401, 404], otherStatus: 401, limitStatus: 429, beforeStatus: 201, afterStatus: null },
  ...{ key: 'twin', keys: ['quota', 'twin'], stream: { key: 'load', endpoint: null }, scope: 'per-key' },
  ...{ addresses: ['10.0.0.1', '10.0.0.2'], address: '127.0.0.1', group: 'quota', unit: 'rate' },
  ...{ why: 'no-date-format', kind: 'no-socket', kinds: ['interact acts:other-token'], of: 'remaining' },
  ...{ what: 'limit', how: 'in milliseconds', by: 'retry-after', as: 'few-too-short', place: 'write' },
  ...{ expected: '', got: '', seen: range(35, 36), imported: range(36), total: range(3), sum: range(4, 5) },
  // Descriptions in OpenAPI.
  ...{ operation: 'GET /shades', operations: ['DELETE /sessions/{id}'], described: ['200', '4XX'] },
  ...{
    wants: ['application/json'],
    header: 'etag',
    unread: [{ answer: 'POST /sessions 200', answers: 300 }],
  },
  mismatch: { at: '', keyword: 'type', wants: '"integer"', got: 'string' },
  // Limiters.
  ...{ limit: { requests: 100, windowMs: 6_000 }, second: { requests: 30, windowMs: 1_000 } },
  ...{ limiter: 'sliding window', name: 'token bucket', others: ['token bucket'], promised: 'sliding-log' },
  ...{ limits: range(98, 101), bounds: range(101, 105), admitted: range(98, 112) },
  ...{ size: { ...pace(100, 5_400), refillPerS: null }, stated: [pace(90, 6_000)], shownBy: 'neither' },
  ...{ fitted: { kinds: ['fixed window'], requests: 100, windowMs: 6_000 }, apart: ['analytics'] },
  ...{ together: ['read-session'], text: '300', dialect: 'draft-6', policy: '' },
  // Analytics.
  ...{ query: 'all products', asked: period, whole: period, returned: '2026-01-01/2026-01-02', sku },
  ...{ field: 'cart_intent_rate', fields: ['quota.twin', 'data_scope'], excluded: ['cart_intent_rate'] },
  ...{ examples: [{ query: 'all products', field: 'avg_shades_per_session' }], fault: 'unsorted' },
  ...{ convention: 'end_date', end: 'inclusive', zone: 'UTC', day: '2026-05-02', due: ['2026-05-01'] },
  ...{ p50Ms: range(100, 400), p99Ms: range(0, 900), maxMs: { min: 700 }, rest: range(400, 410) },
  ...{ order: 'arrival-descending', orders: ['arrival', 'arrival-descending'], told: 'other-account' },
  ...{ changes: [{ field: 'total_sessions', before: 14, after: 15 }], last: { sku: 'SKU-9', selections: 2 } },
  parts: [
    { name: 'lipstick, 2026-05-01 / 2026-05-10', count: range(2) },
    { name: 'lipstick, 2026-05-11 / 2026-05-31', count: range(2, 3) },
  ],
  // Latency, and the run itself.
  ...{ trait: 'credential', list: { shades: 500, pageOf: null }, phase: null, percentile: 'p99' },
  ...{
    bursts: [{ fromMs: 12_000, toMs: 14_000 }],
    mediansMs: [488, 1448, 2408, 3368, 4328],
    cut: [{ file: 'requests.bin', bytes: 12 }],
    verdict: 'fail',
  },
  ...{ detail: '1,000 requests', question: 'The limiter study is run', confidence: 0.95 },
};

const flag = /^(?:is|has|can|maybe)[A-Z]|^(?:ago|ahead|lasts|promises|exclusive)$/;
const exampleOfName = (name: string): unknown =>
  name in byName ? structuredClone(byName[name]) : flag.test(name) || (/status$/i.test(name) ? 404 : 12);

/** By its code: what a wording takes instead. */
const byCode: Readonly<Record<string, object>> = {
  'algorithm-found': { limit: 100 },
  'algorithm-none': { admitted: 1_200 },
  'answer-total': { expected: range(12, 14), returned: 11 },
  'availability-lost': { kinds: [{ kind: 'timeout', requests: 2 }] },
  'conventions-open': { values: ['inclusive', 'exclusive'] },
  'conventions-otherwise': { values: ['exclusive'] },
  'enforced-explained': { admitted: 100 },
  'enforced-no-429': { admitted: 160 },
  'headers-wrong': { wrong: 'reset-too-far' },
  'latency.slo': { maxMs: 250 },
  'mean-not-of-parts': { parts: [{ mean: range(0.3), sessions: range(4) }] },
  'outside-load-slow': { others: 300, values: ['bystander'] },
  'quota-consumption-counted': { admitted: 12 },
  'quota-consumption-sent': { requests: [{ what: 'list-shades 200', count: 3 }] },
  'quota-edge-over': { admitted: 23 },
  'quota-edge-over-in-doubt': { admitted: 23 },
  'quota-race-over': { admitted: 23 },
  'quota-race-short': { admitted: 18 },
  'quota-reads-rejected': { reads: [{ endpoint: 'analytics', got: { status: 402 } }] },
  'quota-reads-untried': { reads: [{ endpoint: 'analytics', got: { status: 429 } }] },
  'quota-renewed': { atMs: [Date.UTC(2026, 4, 1)] },
  'quota-status-other': { answers: [{ status: 403, count: 3 }] },
  'recovery-admitted': { admitted: 20 },
  'retry-after-waits': { admitted: 5 },
  'rejections-wrong': { example: 'a header says 300' },
  'run-ended': { how: 'cap' },
  'sessions-differ': { kind: 'moment' },
  'shards-lost': { lost: [3] },
  'size-undecided': {
    kinds: [
      { name: 'token bucket', bounds: range(100) },
      { name: 'sliding counter', bounds: range(98, 104) },
    ],
  },
  'slo-value': { others: 69, values: ['p02'] },
};

/** Parameters that are passed on together. */
const passedOn = ['query', 'dialect', 'policy', 'requests', 'windowMs', 'refillPerS', 'limit'];

/** Parameters in which each that is read and missing gets the value of its name, and stays. */
export function completing<P extends object>(params: P): P {
  const known: Record<string, unknown> = Object.fromEntries(Object.entries(params));
  const filled = (name: string): unknown =>
    (known[name] ??= name in known ? known[name] : exampleOfName(name));
  return new Proxy(params, {
    get: (_, name) => filled(String(name)),
    ownKeys: () => [...new Set([...Object.keys(known), ...passedOn])],
    getOwnPropertyDescriptor: (_, name) => ({
      ...{ configurable: true, enumerable: true, writable: true, value: filled(String(name)) },
    }),
  });
}

/** Parameters that can occur, of a wording: those that its sentence reads. */
export function exampleFor(code: string, words: Wording): object {
  if (typeof words === 'string') {
    const places = [...words.matchAll(/\{(\w+)(?::([a-z]*)[^}]*)?\}/g)];
    return Object.fromEntries(
      places.map(([, name = '', format = ''], at) => [name, byFormat[format] ?? at + 2]),
    );
  }
  const params = completing({ ...byCode[code] });
  words(params as never);
  return { ...params };
}
