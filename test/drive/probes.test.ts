import { describe, expect, it } from 'vitest';
import { probeCost } from '../../src/drive/budget.ts';
import { channelProbes, type Discovered, setUp, setupSessions } from '../../src/drive/setup/setup.ts';
import type { RequestRecord } from '../../src/history/record.ts';
import { defineScenario } from '../../src/scenario/define.ts';
import { steady } from '../../src/scenario/load.ts';
import type { ProfileInput } from '../../src/target/profile.ts';
import { type Arrival, Asking, type PlayedAnswer } from './asking.ts';

/** A service that has a good answer to everything. */
interface Manner {
  readonly takesTokens: boolean;
  /** Whether the catalog with unusual shades has a list. */
  readonly listsUnusual: boolean;
  /** Bodies that it rejects. */
  readonly rejects: RegExp | undefined;
  /** What every sixth request gets in place of an answer. */
  readonly inPlace: number | undefined;
}

const analytics = {
  period: 'today / today',
  total_sessions: 0,
  avg_shades_per_session: 0,
  cart_intent_rate: 0,
  top_shades: [],
};

function serviceOf({
  inPlace,
  listsUnusual,
  rejects,
  takesTokens,
}: Manner): (arrival: Arrival) => PlayedAnswer {
  let sessions = 0;
  let requests = 0;
  return ({ bearer, body, method, path }) => {
    if (inPlace !== undefined && ++requests % 6 === 0) return { status: inPlace };
    if (rejects?.test(body) === true) return { status: 422 };
    if (/\/(interactions|acts)$/.test(path))
      return bearer.includes('token') && !takesTokens
        ? { status: 401 }
        : { status: 202, body: { accepted: 1 } };
    if (method === 'POST' && path.endsWith('/sessions')) {
      const n = ++sessions;
      const expires_at = '2026-05-01T13:00:00Z';
      return {
        status: 200,
        body: { session_id: `s${n}`, token: `secret-token-${n}`, expires_at, shade_count: 3 },
      };
    }
    if (path.includes('/analytics')) return { status: 200, body: analytics };
    const isListed = listsUnusual && path.includes('corner');
    return { status: 200, body: isListed ? [{ sku: 'A', name: 'A', hex: '#AA0000', finish: 'matte' }] : [] };
  };
}

const some = {
  name: 'some',
  title: 'Some of everything',
  load: [steady('60/min', '10s', { traffic: 'reads' })],
};

interface Played {
  readonly asking: Asking;
  readonly requests: readonly RequestRecord[];
  readonly found: Discovered;
}

async function played(
  profileInput: ProfileInput = {},
  {
    corners = true,
    inPlace,
    listsUnusual = true,
    rejects,
    takesTokens = true,
    timesLists = true,
  }: Partial<Manner> & { readonly corners?: boolean; readonly timesLists?: boolean } = {},
): Promise<Played> {
  const service = serviceOf({ inPlace, listsUnusual, rejects, takesTokens });
  const asking = new Asking(profileInput, service, { bystander: true });
  const scenario = defineScenario({
    ...some,
    checks: ['latency', ...(corners ? ['contract' as const] : [])],
    slo: timesLists ? [{ endpoint: 'list-shades', percentile: 99, under: '1s' }] : [],
  });
  const found = await asking.until(setUp(asking.setupRun(scenario)));
  return { asking, requests: asking.requests, found };
}

/** The probes whose names begin so, in order. */
function probesOf({ requests }: Pick<Played, 'requests'>, start: string): RequestRecord[] {
  return requests.filter(({ probe }) => probe?.startsWith(start));
}

describe('the probes of set-up', () => {
  it.each<[string, ProfileInput['channel'], boolean, string[]]>([
    [
      'nowhere, where the profile says all',
      { path: '/s/{session_id}/acts', auth: 'session-token' },
      true,
      [],
    ],
    ['at the path that the profile gives', { path: '/s/{session_id}/acts' }, true, ['session 202']],
    ['with the token first', {}, true, ['session 202']],
    ['with the key, where the token is refused', {}, false, ['session 401', 'load 202']],
    ['with the key, where nothing is said of a channel', 'discover', false, ['session 401', 'load 202']],
  ])('look for the channel %s', async (_, channel, takesTokens, asked) => {
    const run = await played({ channel }, { takesTokens });
    expect(probesOf(run, 'channel').map(({ credential, status }) => `${credential} ${status}`)).toEqual(
      asked,
    );
    expect(run.found.channel?.auth).toBe(takesTokens ? 'session-token' : 'api-key');
  });

  it.each([429, 503])(
    'get the same answers in the end where every sixth request gets %i instead',
    async (inPlace) => {
      const answers = ({ requests }: Played): unknown[] => {
        const repeated = new Set(requests.map(({ repeats }) => repeats));
        const last = requests.filter(({ seq }) => !repeated.has(seq));
        return last
          .map(({ endpoint, probe, status }) => `${probe ?? 'ordinary'} ${endpoint} ${status}`)
          .sort();
      };
      const usual = await played();
      const troubled = await played({}, { inPlace });
      expect(troubled.requests.length).toBeGreaterThan(1.15 * usual.requests.length);
      expect(answers(troubled)).toEqual(answers(usual));
    },
  );

  it('take the time of large lists only if somebody wants to know it', async () => {
    expect(probesOf(await played(), 'large:')).toHaveLength(5);
    expect(probesOf(await played({}, { timesLists: false }), 'large:')).toEqual([]);
  });

  it('stay under 70 % of the limit, including events that spend it', async () => {
    const { asking } = await played({
      rate_limit: '10/2s',
      channel: { auth: 'api-key', counts_against_rate_limit: true },
    });
    // What goes at once took its room one by one before.
    expect(asking.mostIn(2_000)).toBeLessThanOrEqual(7 + 1);
  });

  it('are no more than announced', async () => {
    const run = await played();
    const scenario = defineScenario({ ...some, checks: ['contract'] });
    const { imports, requests, sessions } = probeCost(scenario, ['load']);
    const sent = ['canary', 'channel', 'batch-max', 'large', 'corners'].flatMap((start) =>
      probesOf(run, start),
    );
    const at = (name: string): number => sent.filter(({ endpoint }) => endpoint === name).length;
    expect([at('import-shades'), at('create-session')]).toEqual([imports, sessions]);
    expect(sessions).toBe(setupSessions);
    expect(sent.length).toBeLessThanOrEqual(requests + channelProbes);
    // Announced is not much more than what is sent.
    expect(sent.length).toBeGreaterThan(0.6 * requests);
  });

  it('leave no token behind', async () => {
    const { answers, interactions, requests } = (await played()).asking;
    expect(JSON.stringify([answers, interactions, requests])).not.toMatch(/secret/);
  });

  it.each<[string, Parameters<typeof played>[1], boolean]>([
    ['where the service takes them', {}, true],
    ['not where it lists none', { listsUnusual: false }, false],
    ['not where it rejects the import', { rejects: /-corners/ }, false],
    ['not in a run that sends none', { corners: false }, false],
  ])('find unusual shades for shoppers %s', async (_, manner, isFound) => {
    const { corners } = (await played({}, manner)).found;
    expect(corners?.id).toBe(isFound ? 'tryon-tag-corners' : undefined);
    if (isFound) expect(new Set(corners?.skus).size).toBe(corners?.skus.length);
  });
});
