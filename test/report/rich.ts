import type {
  AnswerRecord,
  CatalogRecord,
  EventRecord,
  InteractionRecord,
} from '../../src/history/record.ts';
import { randomStream } from '../../src/random.ts';
import type { SampleHistory, SampleRequest } from '../history/sample.ts';
import { sampleRun } from '../history/sample.ts';

/**
 * A made-up history like that of `launch`: a catalog, contract probes, 900 requests a minute, then 1,500, a recovery,
 * a spent quota, reads back and analytics. Seeded, so every run gives the same bytes.
 */
export function richHistory(): SampleHistory {
  const random = randomStream(7, 'report sample');
  const requests: SampleRequest[] = [];
  const interactions: InteractionRecord[] = [];
  const answers: AnswerRecord[] = [];
  const s = 1e9;
  const sessions: Shopping[] = [];
  const add = (request: SampleRequest): number => {
    requests.push(request);
    return requests.length;
  };
  const serviceNs = (): number =>
    Math.round((2 + 3 * random() + (random() < 0.02 ? 40 * random() : 0)) * 1e6);
  const lagNs = (): number => Math.round(random() * 1.5e6);

  const products = productNames.map((name, index) => ({ id: `tryon-7f3a-p${index + 1}`, name }));
  const catalog = products.flatMap((product, p) => shadesOf(product.id, product.name, p));

  for (let batch = 0; batch < 3; batch++) {
    const sentNs = batch * 0.2 * s;
    add({
      endpoint: 'import-shades',
      stage: 'setup',
      phase: 'import',
      sentNs,
      answeredNs: sentNs + 3e7,
      items: 40,
      catalogId: 'tryon-7f3a-c1',
    });
  }
  for (const [index, endpoint] of (['create-session', 'list-shades', 'analytics'] as const).entries()) {
    const sentNs = s + index * 0.1 * s;
    add({
      endpoint,
      stage: 'setup',
      phase: 'contract',
      credential: 'none',
      probe: `no-key:${endpoint}`,
      sentNs,
      answeredNs: sentNs + 2e6,
      status: 401,
    });
    add({
      endpoint,
      stage: 'setup',
      phase: 'contract',
      credential: 'bad',
      probe: `bad-key:${endpoint}`,
      sentNs: sentNs + 2e7,
      answeredNs: sentNs + 2.2e7,
      status: 401,
    });
  }

  const admitted: number[] = [];
  const load = (phase: string, fromS: number, perMinute: number, seconds: number): void => {
    const gapNs = (60 * s) / perMinute;
    for (let k = 0; k * gapNs < seconds * s; k++) {
      const intendedNs = Math.round(fromS * s + k * gapNs);
      const sentNs = intendedNs + lagNs();
      const kind = random();
      const endpoint = kind < 0.25 ? 'create-session' : kind < 0.6 ? 'read-session' : 'list-shades';
      while ((admitted[0] ?? Number.POSITIVE_INFINITY) <= sentNs - 60 * s) admitted.shift();
      const base: SampleRequest = {
        endpoint,
        phase,
        planned: requests.length,
        intendedNs,
        readyNs: intendedNs,
      };
      if (random() < 0.001) add({ ...base, notSent: 'in-flight-bound' });
      else if (random() < 0.0015) add({ ...base, sentNs, answeredNs: sentNs + 10 * s, lost: 'timeout' });
      else if (admitted.length >= 1_000) {
        add({ ...base, sentNs, answeredNs: sentNs + 1.2e6, status: 429, retryAfter: '12' });
      } else {
        admitted.push(sentNs);
        const product = products[Math.floor(random() ** 2 * products.length)];
        const failed = random() < 0.0008;
        const seq = add({
          ...base,
          sentNs,
          answeredNs: sentNs + serviceNs(),
          status: failed ? 503 : 200,
          catalogId: 'tryon-7f3a-c1',
          locale: 'en-GB',
          ...(product && { productId: product.id }),
          sessionId: `ses_${requests.length}`,
        });
        if (endpoint === 'create-session' && !failed && product) shop(seq, product.id, sentNs);
      }
    }
  };
  const shop = (created: number, productId: string, sentNs: number): void => {
    const shades = catalog.filter((shade) => shade.productId === productId);
    const sessionId = `ses_${created - 1}`;
    const atNs = sentNs + 0.4 * s;
    const skus = Array.from(
      { length: Math.floor(random() * 5) },
      () => shades[Math.floor(random() ** 2 * shades.length)]?.sku ?? '',
    );
    const cart = skus.length > 0 && random() < 0.3;
    sessions.push({ productId, skus, cart });
    if (skus.length === 0) return;
    const seq = add({
      endpoint: 'interact',
      phase: 'steady',
      credential: 'session',
      planned: requests.length,
      sentNs: atNs,
      answeredNs: atNs + serviceNs(),
      status: 202,
      sessionId,
      items: skus.length + (cart ? 1 : 0),
    });
    const act = (type: 'shade_selected' | 'cart_intent', sku: string, n: number): void => {
      interactions.push({ seq, sessionId, id: `i-${seq}-${n}`, type, sku, at: '2026-05-01T12:00:00Z' });
    };
    for (const [n, sku] of skus.entries()) act('shade_selected', sku, n);
    if (cart) act('cart_intent', skus[0] ?? '', skus.length);
  };

  load('steady', 5, 900, 60);
  load('past the limit', 65, 1_500, 60);
  load('recovery', 140, 600, 30);

  for (let k = 0; k < 140; k++) {
    const sentNs = (80 + k * 0.25) * s;
    const status = k === 60 ? undefined : k < 121 ? 200 : 402;
    add({
      endpoint: 'create-session',
      phase: 'use up the quota',
      credential: 'quota',
      sentNs,
      answeredNs: sentNs + (status === undefined ? 5 * s : serviceNs()),
      ...(status === undefined ? { lost: 'reset' as const } : { status }),
      sessionId: `quota_${k}`,
    });
  }

  for (let k = 0; k < 60; k++) {
    const sentNs = (175 + k * 0.1) * s;
    add({
      endpoint: 'read-session',
      stage: 'settle',
      phase: 'read-back',
      sentNs,
      answeredNs: sentNs + serviceNs(),
      sessionId: `ses_${k}`,
    });
  }
  for (const [index, productId] of [undefined, ...products.map((product) => product.id)].entries()) {
    const sentNs = (183 + index * 0.1) * s;
    const seq = add({
      endpoint: 'analytics',
      stage: 'settle',
      phase: 'analytics',
      sentNs,
      answeredNs: sentNs + 4 * serviceNs(),
      ...(productId && { productId }),
    });
    answers.push(analyticsAnswer(seq, productId, sessions));
  }

  // How soon sessions of the second product show: at once, but at 100 s those of the last 5 s do not yet.
  const polled = products[1]?.id ?? '';
  const opened = requests.filter(
    ({ endpoint, productId, sessionId, status }) =>
      endpoint === 'create-session' && productId === polled && sessionId !== undefined && status === 200,
  );
  for (const atS of [20, 45, 70, 100, 130, 150, 172, 174]) {
    const sentNs = atS * s;
    const shownNs = (atS === 100 ? 95 : atS) * s;
    const seq = add({
      endpoint: 'analytics',
      stage: atS < 172 ? 'companion' : 'settle',
      phase: 'freshness',
      productId: polled,
      sentNs,
      answeredNs: sentNs + serviceNs(),
    });
    answers.push({
      seq,
      endpoint: 'analytics',
      query: { start_date: '2026-04-30', end_date: '2026-05-02', product_id: polled },
      body: { total_sessions: opened.filter(({ answeredNs = 0 }) => answeredNs < shownNs).length },
    });
  }

  const events: EventRecord[] = [
    { kind: 'phase', name: 'steady', startNs: 5 * s, endNs: 65 * s },
    { kind: 'phase', name: 'past the limit', startNs: 65 * s, endNs: 125 * s },
    { kind: 'phase', name: 'use up the quota', startNs: 80 * s, endNs: 115 * s },
    { kind: 'phase', name: 'recovery', startNs: 140 * s, endNs: 170 * s },
    {
      kind: 'discovered',
      what: 'channel',
      value: 'POST /sessions/{session_id}/interactions with the session token',
      seq: 12,
    },
    { kind: 'discovered', what: 'date format', value: 'YYYY-MM-DD', seq: 3_020 },
    { kind: 'discovered', what: 'status of POST /shades', value: '201', seq: 1 },
    { kind: 'discovered', what: 'status of 501 shades', value: '422', seq: 9 },
  ];

  return {
    run: {
      id: 'tryon-7f3a',
      scenario: {
        name: 'launch',
        title: 'Launch rehearsal: past the rate limit, past the quota, analytics reconciled',
      },
      seed: 20_260_501,
      target: { kind: 'embedded', base_url: 'http://127.0.0.1:40123/v1' },
      keys: {
        load: { from: 'embedded', fingerprint: '1f3a9c02' },
        quota: { from: 'embedded', fingerprint: 'c9d4e511' },
      },
      phases: [
        {
          name: 'steady',
          role: 'load',
          unit: 'requests',
          pace: '900/min',
          start_ns: 5 * s,
          end_ns: 65 * s,
          peak_per_minute: 900,
        },
        {
          name: 'past the limit',
          role: 'load',
          unit: 'requests',
          pace: '1500/min',
          start_ns: 65 * s,
          end_ns: 125 * s,
          peak_per_minute: 1500,
        },
        {
          name: 'use up the quota',
          role: 'quota',
          unit: 'requests',
          pace: '240/min',
          start_ns: 80 * s,
          end_ns: 115 * s,
        },
        {
          name: 'recovery',
          role: 'load',
          unit: 'requests',
          pace: '600/min',
          start_ns: 140 * s,
          end_ns: 170 * s,
          peak_per_minute: 600,
        },
      ],
      planned_requests: requests.filter((request) => request.stage === undefined).length,
      quota_attempts: 140,
      catalogs: [{ id: 'tryon-7f3a-c1', role: 'load', shades: catalog.length }],
      products,
      versions: { tryon: '0.1.0', node: '24.21.0', undici: '8.12.4', duckdb: '1.5.6' },
      machine: { platform: 'linux x64', cpus: 8, memory_gib: 15.6 },
      ended: { at_epoch_ms: sampleRun.zero_epoch_ms + 186_000, how: 'completed' },
      minutes: 4,
    },
    profile: { name: 'reference', quota: { sessions: 120, fresh: true } },
    requests,
    interactions,
    answers,
    catalog,
    events,
  };
}

const productNames = [
  'Velvet Hour Lipstick',
  'Second Skin Foundation',
  'Glass Lip Oil',
  'Dune Eyeshadow',
  'Afterglow Blush',
  'Ten Day Nail Lacquer',
];
const shadeNames = [
  'Ember',
  'Rosewood',
  'Fig',
  'Clay',
  'Sienna',
  'Petal',
  'Mulberry',
  'Brick',
  'Nude',
  'Coral',
  'Garnet',
  'Cocoa',
];

function shadesOf(productId: string, productName: string, p: number): CatalogRecord[] {
  return shadeNames.map((name, n) => ({
    catalogId: 'tryon-7f3a-c1',
    productId,
    productName,
    sku: `P${p + 1}-${String(n + 1).padStart(3, '0')}`,
    name: `${name} ${p + 1}`,
    hex: `#${[200 - p * 22, 40 + n * 14, 60 + ((n * 37 + p * 20) % 130)].map((part) => part.toString(16).padStart(2, '0')).join('')}`,
    finish: 'matte',
  }));
}

interface Shopping {
  readonly productId: string;
  readonly skus: readonly string[];
  readonly cart: boolean;
}

/** What an honest service would say, but for the first product: there it forgets a tenth of the sessions. */
function analyticsAnswer(
  seq: number,
  productId: string | undefined,
  sessions: readonly Shopping[],
): AnswerRecord {
  const own = sessions.filter((session) => productId === undefined || session.productId === productId);
  const forgotten = productId?.endsWith('p1') ? Math.floor(own.length / 10) : 0;
  const selections = new Map<string, number>();
  for (const sku of own.flatMap((session) => session.skus))
    selections.set(sku, (selections.get(sku) ?? 0) + 1);
  const mean = (of: (session: Shopping) => number): number =>
    Math.round((own.reduce((sum, session) => sum + of(session), 0) / own.length) * 1e4) / 1e4;
  return {
    seq,
    endpoint: 'analytics',
    query: {
      start_date: '2026-05-01',
      end_date: '2026-05-01',
      ...(productId !== undefined && { product_id: productId }),
    },
    body: {
      period: '2026-05-01 / 2026-05-01',
      total_sessions: own.length - forgotten,
      avg_shades_per_session: mean((session) => new Set(session.skus).size),
      cart_intent_rate: mean((session) => (session.cart ? 1 : 0)),
      top_shades: [...selections]
        .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
        .slice(0, 10)
        .map(([sku, n]) => ({ sku, selections: n })),
    },
  };
}
