import { describe, expect, it } from 'vitest';
import { checkActs } from '../../../src/checks/contract/acts.ts';
import type { CauseCode } from '../../../src/checks/diagnosis/cause.ts';
import type { CheckResult, Verdict } from '../../../src/checks/verdict.ts';
import type { InteractionRecord } from '../../../src/history/record.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';
import { causeCodes } from '../cause-codes.ts';

type Probe = 'acts:at-once' | 'acts:again' | 'acts:unknown-sku' | 'acts:other-token';

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
    checkActs,
  );
}

const all = [...atOnce, ...again, ...unknown];

describe('acts of a session', () => {
  it.each<[string, readonly Batch[], unknown, string, Verdict, RegExp, ...CauseCode[]]>([
    [
      'that arrive at the same time are all there',
      all,
      { interactions: entries('b', 'a', 'c') },
      'at-once',
      'pass',
      /every one of 3 acts that were acknowledged and arrived at the same time in 1 session/,
    ],
    [
      'that arrive at the same time may be there under ids of their own',
      all,
      { interactions: entries('b', 'a', 'c').map((entry, n) => ({ ...entry, id: String(n) })) },
      'at-once',
      'pass',
      /every one of 3 acts/,
    ],
    [
      'that arrive at the same time must not overwrite each other',
      all,
      { interactions: entries('c') },
      'at-once',
      'fail',
      /Of 3 acts that were acknowledged and arrived at the same time in 1 session, 2 are not in/,
      'concurrent-interactions-lost',
    ],
    [
      'that arrive at the same time must not all be lost',
      atOnce,
      { interactions: [] },
      'at-once',
      'fail',
      /3 are not in/,
      'interactions-lost',
    ],
    [
      'that were not acknowledged may be lost',
      [...atOnce.slice(0, 2), { probe: 'acts:at-once', id: 'c', atMs: 10, request: { lost: 'timeout' } }],
      { interactions: entries('a', 'b') },
      'at-once',
      'pass',
      /every one of 2 acts/,
    ],
    [
      'that came one after the other are no matter of what happens at once',
      atOnce.map((batch, n) => ({ ...batch, atMs: 10 * n })),
      { interactions: [] },
      'at-once',
      'inconclusive',
      /No acts were acknowledged that had been under way at the same time/,
    ],
    [
      'in a history without the names that the profile gives cannot be found',
      all,
      { interactions: [{ shade: 'sku a' }] },
      'at-once',
      'inconclusive',
      /do not show acts in a way that can be read \(profile: session_history\)/,
    ],
    [
      'in a session without a history cannot be found',
      all,
      {},
      'at-once',
      'inconclusive',
      /do not show acts/,
    ],
    [
      'in a session that was not read back cannot be found',
      all,
      null,
      'at-once',
      'inconclusive',
      /Their sessions were not read back/,
    ],
    [
      'that are sent again count once',
      all,
      { interactions: entries('a', 'b', 'c') },
      'again',
      'pass',
      /1 act sent again with the same id stands in the history once/,
    ],
    [
      'that are sent again must not count again',
      all,
      { interactions: entries('a', 'b', 'c', 'a') },
      'again',
      'fail',
      /1 of 1 act sent again with the same id stands in the history up to 2 times/,
      'repeated-interaction-stored',
    ],
    [
      'that are sent again must not count again under an id of its own',
      all,
      { interactions: entries('a', 'b', 'c', 'a').map((entry, n) => ({ ...entry, id: String(n) })) },
      'again',
      'fail',
      /up to 2 times/,
      'repeated-interaction-stored',
    ],
    [
      'that are sent again without an answer must not count again',
      [...atOnce, { probe: 'acts:again', id: 'a', atMs: 30, request: { lost: 'reset' } }],
      { interactions: entries('a', 'b', 'c', 'a') },
      'again',
      'fail',
      /up to 2 times/,
      'repeated-interaction-stored',
    ],
    [
      'that are sent again may be refused',
      [...atOnce, { probe: 'acts:again', id: 'a', atMs: 30, request: { status: 409 } }],
      { interactions: entries('a', 'b', 'c') },
      'again',
      'pass',
      /stands? in the history once/,
    ],
    [
      'that are sent again without an answer show nothing by counting once',
      [...atOnce, { probe: 'acts:again', id: 'a', atMs: 30, request: { lost: 'reset' } }],
      { interactions: entries('a', 'b', 'c') },
      'again',
      'inconclusive',
      /No act that was sent again was answered/,
    ],
    [
      'that are sent again and not there at all show nothing about counting',
      all,
      { interactions: entries('b', 'c') },
      'again',
      'inconclusive',
      /do not show acts/,
    ],
    [
      'on an unknown SKU are refused',
      all,
      { interactions: entries('a', 'b', 'c') },
      'unknown-sku',
      'pass',
      /was refused with 422/,
    ],
    [
      'on an unknown SKU may be refused where no history can be read',
      all,
      null,
      'unknown-sku',
      'pass',
      /was refused with 422/,
    ],
    [
      'on an unknown SKU may be taken and dropped',
      [...atOnce, { probe: 'acts:unknown-sku', id: 'u', atMs: 40 }],
      { interactions: entries('a', 'b', 'c') },
      'unknown-sku',
      'pass',
      /was answered with 202, and is not in the history/,
    ],
    [
      'on an unknown SKU must not count',
      [...atOnce, { probe: 'acts:unknown-sku', id: 'u', atMs: 40 }],
      { interactions: entries('a', 'b', 'c', 'u') },
      'unknown-sku',
      'fail',
      /was answered with 202, and it stands in the history/,
      'unknown-sku-accepted',
    ],
    [
      'on an unknown SKU must not count when they were refused',
      all,
      { interactions: entries('a', 'b', 'c', 'u') },
      'unknown-sku',
      'fail',
      /was answered with 422, and it stands in the history/,
      'refused-interaction-stored',
    ],
    [
      'with the token of another session are refused',
      [...atOnce, { probe: 'acts:other-token', id: 'o', atMs: 40, request: { status: 403 } }],
      { interactions: entries('a', 'b', 'c') },
      'other-token',
      'pass',
      /with the token of another session was refused with 403/,
    ],
    [
      'with the token of another session must not count',
      [...atOnce, { probe: 'acts:other-token', id: 'o', atMs: 40 }],
      { interactions: entries('a', 'b', 'c', 'o') },
      'other-token',
      'fail',
      /with the token of another session was answered with 202, and it stands in the history/,
      'foreign-token-accepted',
    ],
    [
      'on an unknown SKU that were taken are not judged without a history',
      [...atOnce, { probe: 'acts:unknown-sku', id: 'u', atMs: 40 }],
      null,
      'unknown-sku',
      'inconclusive',
      /was answered with 202, and the history of its session does not show what became of it/,
    ],
  ])('%s', async (_, batches, body, id, verdict, explanation, ...causes) => {
    const results = await judged(batches, body);
    const result = results.find((each) => each.id === `contract.acts-${id}`);
    expect(result?.explanation).toMatch(explanation);
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
