import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/scenario/files.ts';
import { harSchema, type RecordedShoppers, scenarioText, shoppersOf } from '../../src/scenario/from-har.ts';

interface Recorded {
  readonly at: number;
  readonly call: string;
  readonly sent?: object;
  readonly answer?: object;
  readonly status?: number;
}

const recordingOf = (calls: readonly Recorded[]) =>
  harSchema.parse({
    log: {
      entries: calls.map(({ answer, at, call, sent, status = 200 }) => ({
        startedDateTime: new Date(1_700_000_000_000 + at).toISOString(),
        request: {
          method: call.split(' ')[0],
          url: `https://api.example.com/tryon/v1${call.split(' ')[1]}`,
          ...(sent !== undefined && { postData: { text: JSON.stringify(sent) } }),
        },
        response: { status, content: { text: JSON.stringify(answer ?? {}) } },
      })),
    },
  });

const opened = (at: number, id: string, locale = 'de-DE'): Recorded => ({
  ...{ at, call: 'POST /sessions', sent: { product_id: 'p', catalog_id: 'c', locale } },
  answer: { session_id: id, token: 'secret-token' },
});
const tried = (at: number, id: string, ...skus: string[]): Recorded => ({
  ...{ at, call: `POST /sessions/${id}/events`, status: 202 },
  sent: { events: skus.map((sku) => ({ type: 'shade_selected', sku })) },
});
const inCart = (at: number, id: string): Recorded => ({
  ...{ at, call: `POST /sessions/${id}/events`, status: 202, sent: { type: 'cart_intent' } },
});

const page: readonly Recorded[] = [
  { at: 0, call: 'GET /index.html' },
  { at: 100, call: 'GET /shades?catalog_id=c' },
  opened(400, 's1'),
  tried(2_400, 's1', 'A'),
  tried(4_400, 's1', 'B'),
  tried(8_400, 's1', 'A', 'C'),
  inCart(12_400, 's1'),
  { at: 12_500, call: 'GET /sessions/s1' },
  opened(30_400, 's2', 'fr-FR'),
  { ...opened(40_000, 's3'), status: 402 },
  { ...inCart(40_100, 's2'), status: 422 },
  { at: 41_000, call: 'GET /analytics/sessions?start_date=2026-01-01' },
];

describe('the shoppers of a recording', () => {
  const found = shoppersOf(recordingOf(page));

  it.each<[string, (found: RecordedShoppers) => unknown, unknown]>([
    ['are its sessions that were opened', ({ sessions }) => sessions, 2],
    ['come at the rate at which sessions were opened', ({ perMinute }) => perMinute, 2],
    ['leave at once in sessions without an event', ({ settings }) => settings.bounce, 0.5],
    ['try distinct shades', ({ settings }) => settings.shadesTried, { median: 3, mean: 3 }],
    ['select shades again', ({ settings }) => settings.reselect, 0.25],
    ['show cart intent', ({ settings }) => settings.cartIntent, { rate: 0.5 }],
    ['think between what they do', ({ settings }) => settings.thinkMedian, 2_000],
    ['wait for their page', ({ settings }) => settings.pageMedian, 300],
    ['list shades first in some visits', ({ settings }) => settings.listShades, 0.5],
    ['read back after cart intent', ({ settings }) => settings.readBack, 1],
    ['send one or several events in a request', ({ settings }) => settings.actsPerRequest, [3, 1, 0]],
    ['have locales', ({ settings }) => settings.locales, { 'de-DE': 1, 'fr-FR': 1 }],
    [
      'and what they did beside that is told',
      ({ leftOut }) => [...leftOut.keys()],
      [
        'GET /tryon/v1/index.html',
        'POST /sessions, answered with 402',
        'POST /sessions/{id}/events, answered with 422',
        'GET /analytics/sessions',
      ],
    ],
  ])('%s', (_, of, expected) => {
    expect(of(found)).toEqual(expected);
  });

  it('make a scenario that loads, and says what was left out, and no secret', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tryon-har-'));
    try {
      const text = scenarioText('visit', found);
      const index = new URL('../../src/index.ts', import.meta.url).href;
      await writeFile(join(folder, 'visit.ts'), text.replace("'tryon'", `'${index}'`));
      const { scenario } = await loadScenario(join(folder, 'visit.ts'));
      expect(scenario.shoppers).toMatchObject({ ...found.settings, bounce: 0.5 });
      expect(text).toContain('Left out: GET /analytics/sessions (1 request).');
      expect(text).not.toMatch(/secret-token|s1|api\.example/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('of one session come at a rate that is a guess', () => {
    const one = shoppersOf(recordingOf([opened(0, 's1')]));
    expect(one.perMinute).toBeUndefined();
    expect(scenarioText('one', one)).toContain('the rate is a guess');
  });
});
