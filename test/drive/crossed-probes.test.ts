import { describe, expect, it } from 'vitest';
import { crossedCostOf, probeCrossed } from '../../src/drive/setup/crossed-probes.ts';
import type { RequestRecord } from '../../src/history/record.ts';
import { defineScenario } from '../../src/scenario/define.ts';
import { steady } from '../../src/scenario/load.ts';
import { possibleChannels } from '../../src/target/profile.ts';
import { Asking } from './asking.ts';

const body = { session_id: 's1', token: 'secret-token', expires_at: '2026-05-01T13:00:00Z', shade_count: 3 };
const scenario = defineScenario({
  ...{ name: 'pairs', title: 'Endpoints in pairs', checks: ['contract', 'latency'] },
  load: [steady('60/min', '10s')],
});

/** How long an answer takes, by its request and the paths that are being worked on. */
type Manner = (request: { readonly line: string; readonly meanwhile: readonly string[] }) => number;

/** The requests of the probes to a service that answers so. */
async function played(tookMs: Manner, freshness = '1s'): Promise<readonly RequestRecord[]> {
  const inFlight: { readonly line: string; readonly untilNs: number }[] = [];
  const asking = new Asking({ analytics: { freshness }, channel: {} }, ({ method, path }) => {
    const line = `${method} ${path}`;
    const nowNs = asking.clock.nowNs();
    const meanwhile = inFlight.filter(({ untilNs }) => untilNs > nowNs).map((each) => each.line);
    const ms = tookMs({ line, meanwhile });
    inFlight.push({ line, untilNs: nowNs + ms * 1e6 });
    return { status: 200, body, tookMs: ms };
  });
  const [channel] = possibleChannels(asking.profile.channel);
  await asking.until(probeCrossed({ ...asking.setupRun(scenario), channel, dateFormat: 'date' }));
  return asking.requests;
}

const cost = crossedCostOf({ checks: ['contract', 'latency'], crossed: true, probes: true });
const isReport = (line: string): boolean => line.includes('/analytics');

function counts(requests: readonly RequestRecord[]): { readonly [What in keyof typeof cost]: number } {
  const at = (endpoint: string): number => requests.filter((each) => each.endpoint === endpoint).length;
  return { requests: requests.length, imports: at('import-shades'), sessions: at('create-session') };
}

describe('the probes of endpoints in pairs', () => {
  it('ask each endpoint alone twice and each pair once where none waits', async () => {
    const requests = await played(() => 5);
    const timed = requests.filter(({ probe }) => /^crossed:(?!working)/.test(probe ?? ''));
    const trials = Map.groupBy(timed, ({ endpoint, probe }) => `${endpoint} ${probe}`);
    expect(trials.size).toBe(5 * 5);
    for (const [trial, own] of trials) expect(own, trial).toHaveLength(trial.endsWith('alone') ? 2 : 1);
  });

  it('ask the endpoint that works first, and the other before that is answered', async () => {
    const requests = await played(() => 5);
    const waiting = requests.filter(({ probe }) => probe === 'crossed:analytics');
    expect(waiting).toHaveLength(4);
    for (const { sentNs = 0, seq } of waiting) {
      const working = requests.find((each) => each.seq === seq - 1);
      expect(working).toMatchObject({ endpoint: 'analytics', probe: 'crossed:working' });
      expect(working?.sentNs).toBeLessThan(sentNs);
      expect(working?.answeredNs).toBeGreaterThan(sentNs);
    }
  });

  it('repeat a pair in which one waits each time', async () => {
    const requests = await played(({ line, meanwhile }) =>
      line === 'POST /v1/sessions' && meanwhile.some(isReport) ? 300 : isReport(line) ? 300 : 5,
    );
    const trials = (probe: string): number =>
      requests.filter((each) => each.endpoint === 'create-session' && each.probe === probe).length;
    expect([trials('crossed:alone'), trials('crossed:analytics'), trials('crossed:list-shades')]).toEqual([
      7, 6, 1,
    ]);
  });

  it.each<[string, number, string]>([
    ['at once', 1, '1s'],
    ['within ten seconds', 5, '10s'],
  ])(
    'read a session again over two used connections until it shows an event %s',
    async (_, times, freshness) => {
      const requests = await played(() => 5, freshness);
      const act = requests.findIndex(({ probe }) => probe === 'connection:acts');
      const again = requests.filter(({ probe }) => probe === 'connection:again');
      expect(requests.indexOf(again[0] as RequestRecord)).toBe(act + 1);
      expect(again).toHaveLength(1 + 2 * times);
    },
  );

  it('send no event where it may show after the connections are closed', async () => {
    const requests = await played(() => 5, '1m');
    expect(requests.filter(({ probe }) => probe === 'connection:next')).toHaveLength(6);
    expect(requests.filter(({ endpoint }) => endpoint === 'interact')).toEqual([]);
  });

  it.each<[string, Manner]>([
    ['none waits', () => 5],
    ['all wait for all others', ({ meanwhile }) => (meanwhile.length > 0 ? 300 : 5)],
  ])('send no more than announced where %s', async (_, manner) => {
    const sent = counts(await played(manner, '20s'));
    for (const name of Object.keys(sent) as (keyof typeof sent)[])
      expect(sent[name], name).toBeLessThanOrEqual(cost[name]);
  });

  it('send nothing for a scenario that does not judge latency, or does not say so', () => {
    const nothing = { requests: 0, imports: 0, sessions: 0 };
    expect(crossedCostOf({ checks: ['contract'], crossed: true, probes: true })).toEqual(nothing);
    expect(crossedCostOf({ checks: ['contract', 'latency'], crossed: false, probes: true })).toEqual(nothing);
  });
});
