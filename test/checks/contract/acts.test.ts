import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/causes/cause.ts';
import { checkEvents } from '../../../src/checks/contract/sessions/acts.ts';
import { render } from '../../../src/checks/core/render.ts';
import type { CheckResult, Verdict } from '../../../src/checks/core/verdict.ts';
import type { InteractionRecord } from '../../../src/history/record.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';
import { causeCodes } from '../cause-codes.ts';
import { expectSaid, type Said, said } from './said.ts';

type Probe = `acts:${'at-once' | 'again' | 'unknown-sku' | 'other-token' | 'altered-token'}`;

/** A batch with one act. Batches are under way for 5 ms. */
interface Batch {
  readonly probe: Probe;
  readonly id: string;
  readonly atMs: number;
  readonly request?: Partial<SampleRequest>;
}

interface Entry {
  readonly id?: string;
  readonly type?: string;
  readonly sku?: string;
}

const atOnce: readonly Batch[] = ['a', 'b', 'c'].map((id) => ({ probe: 'acts:at-once', id, atMs: 10 }));
const again: readonly Batch[] = [{ probe: 'acts:again', id: 'a', atMs: 30 }];
const unknown: readonly Batch[] = [
  { probe: 'acts:unknown-sku', id: 'u', atMs: 40, request: { status: 422 } },
];

/** What a session's history shows of the acts with these ids. */
function entries(...ids: readonly string[]): Entry[] {
  return ids.map((id) => ({ id, type: 'shade_selected', sku: `sku ${id}` }));
}

/** Judges batches in a session whose history was read back as a body; `null`: it was not read. */
function judged(
  batches: readonly Batch[],
  body: unknown,
  profile: ProfileInput = {},
): Promise<readonly CheckResult[]> {
  const acts = batches.map(
    ({ probe, atMs, request = {} }): SampleRequest => ({
      endpoint: 'interact',
      stage: 'setup',
      credential: 'session',
      probe,
      sessionId: 's1',
      items: 1,
      intendedNs: atMs * 1e6,
      ...(request.lost === undefined ? { status: 202 } : {}),
      ...request,
    }),
  );
  const interactions = batches.map(
    ({ id }, n): InteractionRecord => ({
      seq: n + 1,
      sessionId: 's1',
      id,
      type: 'shade_selected',
      sku: `sku ${id}`,
      at: '2026-05-01T12:00:00.000Z',
    }),
  );
  const read = { endpoint: 'read-session', stage: 'settle', sessionId: 's1', seq: 100 } as const;
  return withHistory(
    {
      profile,
      requests: [...acts, ...(body === null ? [] : [read])],
      interactions,
      answers: body === null ? [] : [{ seq: 100, endpoint: 'read-session', query: {}, body }],
    },
    async (history) => (await checkEvents(history)).map(render),
  );
}

const all = [...atOnce, ...again, ...unknown];

describe('acts of a session', () => {
  it.each<[string, readonly Batch[], unknown, string, Verdict, Said, ...CauseCode[]]>([
    [
      'that arrive at the same time are all there',
      all,
      { interactions: entries('b', 'a', 'c') },
      'at-once',
      'pass',
      said('acts-at-once-stored', { events: 3, sessions: 1 }),
    ],
    [
      'that arrive at the same time may be there under ids of their own',
      all,
      { interactions: entries('b', 'a', 'c').map((entry, n) => ({ ...entry, id: String(n) })) },
      'at-once',
      'pass',
      said('acts-at-once-stored', { events: 3 }),
    ],
    [
      'that arrive at the same time must not overwrite each other',
      all,
      { interactions: entries('c') },
      'at-once',
      'fail',
      said('acts-at-once-lost', { events: 3, sessions: 1, lost: 2 }),
      'concurrent-interactions-lost',
    ],
    [
      'that arrive at the same time must not all be lost',
      atOnce,
      { interactions: [] },
      'at-once',
      'fail',
      said('acts-at-once-lost', { lost: 3 }),
      'interactions-lost',
    ],
    [
      'that were not acknowledged may be lost',
      [...atOnce.slice(0, 2), { probe: 'acts:at-once', id: 'c', atMs: 10, request: { lost: 'timeout' } }],
      { interactions: entries('a', 'b') },
      'at-once',
      'pass',
      said('acts-at-once-stored', { events: 2 }),
    ],
    [
      'that came one after the other are no matter of what happens at once',
      atOnce.map((batch, n) => ({ ...batch, atMs: 10 * n })),
      { interactions: [] },
      'at-once',
      'inconclusive',
      said('acts-at-once-none'),
    ],
    [
      'in a history without the names that the profile gives cannot be found',
      all,
      { interactions: [{ shade: 'sku a' }] },
      'at-once',
      'inconclusive',
      said('acts-history-unreadable'),
    ],
    [
      'in an answer that says nothing of them, and has no list, are missing',
      all,
      {},
      'at-once',
      'fail',
      said('acts-at-once-lost'),
      'interactions-lost',
    ],
    [
      'in a form without a list, which names a shade of theirs, cannot be found',
      all,
      { history: { first: 'a', cart: 'sku a' } },
      'at-once',
      'inconclusive',
      said('acts-history-unreadable'),
    ],
    [
      'in a session that was not read back cannot be found',
      all,
      null,
      'at-once',
      'inconclusive',
      said('acts-history-not-read'),
    ],
    [
      'that are sent again count once',
      all,
      { interactions: entries('a', 'b', 'c') },
      'again',
      'pass',
      said('acts-again-once', { events: 1 }),
    ],
    [
      'that are sent again must not count again',
      all,
      { interactions: entries('a', 'b', 'c', 'a') },
      'again',
      'fail',
      said('acts-again-repeated', { events: 1, repeated: 1, most: 2 }),
      'repeated-interaction-stored',
    ],
    [
      'that are sent again must not count again under an id of its own',
      all,
      { interactions: entries('a', 'b', 'c', 'a').map((entry, n) => ({ ...entry, id: String(n) })) },
      'again',
      'fail',
      said('acts-again-repeated', { most: 2 }),
      'repeated-interaction-stored',
    ],
    [
      'that are sent again without an answer must not count again',
      [...atOnce, { probe: 'acts:again', id: 'a', atMs: 30, request: { lost: 'reset' } }],
      { interactions: entries('a', 'b', 'c', 'a') },
      'again',
      'fail',
      said('acts-again-repeated', { most: 2 }),
      'repeated-interaction-stored',
    ],
    [
      'that are sent again may be refused',
      [...atOnce, { probe: 'acts:again', id: 'a', atMs: 30, request: { status: 409 } }],
      { interactions: entries('a', 'b', 'c') },
      'again',
      'pass',
      said('acts-again-once'),
    ],
    [
      'that are sent again without an answer show nothing by counting once',
      [...atOnce, { probe: 'acts:again', id: 'a', atMs: 30, request: { lost: 'reset' } }],
      { interactions: entries('a', 'b', 'c') },
      'again',
      'inconclusive',
      said('acts-again-unanswered'),
    ],
    [
      'that are sent again and not there at all show nothing about counting',
      all,
      { interactions: entries('b', 'c') },
      'again',
      'inconclusive',
      said('acts-history-unreadable'),
    ],
    [
      'on an unknown SKU are refused',
      all,
      { interactions: entries('a', 'b', 'c') },
      'unknown-sku',
      'pass',
      said('acts-rejected', { sent: 'unknown-sku', statuses: [422] }),
    ],
    [
      'on an unknown SKU may be refused where no history can be read',
      all,
      null,
      'unknown-sku',
      'pass',
      said('acts-rejected', { statuses: [422] }),
    ],
    [
      'on an unknown SKU may be taken and dropped',
      [...atOnce, { probe: 'acts:unknown-sku', id: 'u', atMs: 40 }],
      { interactions: entries('a', 'b', 'c') },
      'unknown-sku',
      'pass',
      said('acts-dropped', { statuses: [202] }),
    ],
    [
      'on an unknown SKU must not count',
      [...atOnce, { probe: 'acts:unknown-sku', id: 'u', atMs: 40 }],
      { interactions: entries('a', 'b', 'c', 'u') },
      'unknown-sku',
      'fail',
      said('acts-stored', { statuses: [202] }),
      'unknown-sku-accepted',
    ],
    [
      'on an unknown SKU must not count when they were refused',
      all,
      { interactions: entries('a', 'b', 'c', 'u') },
      'unknown-sku',
      'fail',
      said('acts-stored', { statuses: [422] }),
      'refused-interaction-stored',
    ],
    [
      'with the token of another session are refused',
      [...atOnce, { probe: 'acts:other-token', id: 'o', atMs: 40, request: { status: 403 } }],
      { interactions: entries('a', 'b', 'c') },
      'other-token',
      'pass',
      said('acts-rejected', { sent: 'other-token', statuses: [403] }),
    ],
    [
      'with the token of another session must not count',
      [...atOnce, { probe: 'acts:other-token', id: 'o', atMs: 40 }],
      { interactions: entries('a', 'b', 'c', 'o') },
      'other-token',
      'fail',
      said('acts-stored', { sent: 'other-token', statuses: [202] }),
      'foreign-token-accepted',
    ],
    [
      'with an altered token must not count',
      [...atOnce, { probe: 'acts:altered-token', id: 'o', atMs: 40 }],
      { interactions: entries('a', 'b', 'c', 'o') },
      'altered-token',
      'fail',
      said('acts-stored', { sent: 'altered-token', statuses: [202] }),
      'altered-token-accepted',
    ],
    [
      'with an altered token are refused',
      [...atOnce, { probe: 'acts:altered-token', id: 'o', atMs: 40, request: { status: 401 } }],
      { interactions: entries('a', 'b', 'c') },
      'altered-token',
      'pass',
      said('acts-rejected', { sent: 'altered-token', statuses: [401] }),
    ],
    [
      'on an unknown SKU that were taken are not judged without a history',
      [...atOnce, { probe: 'acts:unknown-sku', id: 'u', atMs: 40 }],
      null,
      'unknown-sku',
      'inconclusive',
      said('acts-unclear', { statuses: [202] }),
    ],
  ])('%s', async (_, batches, body, id, verdict, why, ...causes) => {
    const results = await judged(batches, body);
    const result = results.find((each) => each.id === `contract.acts-${id}`);
    expectSaid(result, why);
    expect(result?.verdict).toBe(verdict);
    expect(causeCodes([result])).toEqual(causes);
  });

  it('are read under the names that the profile gives', async () => {
    const body = { log: [{ key: 'a' }, { key: 'b' }, { key: 'c' }] };
    const results = await judged(atOnce, body, { session_history: { list: 'log', id: 'key' } });
    expect(results.map(({ verdict }) => verdict)).toEqual(['pass']);
  });

  it('that were never sent are not spoken of', async () => {
    expect(await judged([], { interactions: [] })).toEqual([]);
    expect((await judged(atOnce, { interactions: entries('a', 'b', 'c') })).map(({ id }) => id)).toEqual([
      'contract.acts-at-once',
    ]);
  });

  it('are shown with the requests that carried them and the read that shows them', async () => {
    const [result] = await judged(atOnce, { interactions: entries('b') });
    expect(result?.evidence).toEqual([
      { what: 'acknowledged, and not in the history', seqs: [1, 3], total: 2 },
      { what: 'the history as it was read back', seqs: [100], total: 1 },
    ]);
  });
});
