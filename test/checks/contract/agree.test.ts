import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/causes/cause.ts';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import { sampleRun } from '../../history/sample.ts';
import { causeCodes } from '../cause-codes.ts';
import { type Change, judged, second } from './target.ts';

const catalogs = ['c1', 'c2'].map((id) => ({ id, role: 'load' as const, shades: 2 }));
const run = { ...sampleRun, catalogs };
const list = { endpoint: 'list-shades', catalogId: 'c1', intendedNs: second } as const;
const queued = { ...list, catalogId: 'c2' } as const;
const opened = { ...list, endpoint: 'create-session', sessionId: 's2' } as const;

describe('the number of shades under load', () => {
  it.each<
    [string, NonNullable<Change['more']>, 'lists-agree' | 'shade-count', Verdict | undefined, ...CauseCode[]]
  >([
    ['is that of the import in every list', [{ ...list, count: 2 }], 'lists-agree', 'pass'],
    ['is less in a list that is stale', [{ ...list, count: 1 }], 'lists-agree', 'fail', 'lists-differ'],
    ['is more in a list of another', [{ ...list, count: 3 }], 'lists-agree', 'fail', 'lists-differ'],
    [
      'may be that of a page',
      [
        { ...list, count: 1 },
        { ...list, count: 1 },
      ].map((each, n) => ({
        ...each,
        ...(n === 0 && { probe: 'import:list' as const, intendedNs: 1 }),
      })),
      'lists-agree',
      'pass',
    ],
    ['is not judged where the load asks for no list', [], 'lists-agree', undefined],
    [
      'is clear where an import that was lost was sent again',
      [
        { endpoint: 'import-shades', stage: 'setup', catalogId: 'c1', items: 2, lost: 'timeout' },
        { ...list, count: 2 },
      ],
      'lists-agree',
      'pass',
    ],
    ['is that of the import in every session', [{ ...opened, count: 2 }], 'shade-count', 'pass'],
    ['is wrong in a session', [{ ...opened, count: 1 }], 'shade-count', 'fail', 'shade-count-wrong'],
    [
      'is due once all pages of a list have shown an import that was accepted for later',
      [
        { ...queued, probe: 'import:list', count: 1, intendedNs: 0.5 * second },
        { ...queued, probe: 'next-page', count: 1, intendedNs: 0.6 * second },
        { ...queued, endpoint: 'import-shades', items: 2, status: 202, intendedNs: 0.1 * second },
        { ...opened, catalogId: 'c2', count: 3 },
      ],
      'shade-count',
      'fail',
      'shade-count-wrong',
    ],
  ])('%s', async (_, more, id, verdict, ...causes) => {
    const own = more.some(({ probe }) => probe === 'import:list');
    const answers = own ? [{ seq: 8, endpoint: 'list-shades' as const, query: {}, body: [], pageOf: 7 }] : [];
    const finding = (await judged({ run, more, answers })).find((each) => each.id === `contract.${id}`);
    expect(finding?.verdict, finding?.explanation).toBe(verdict);
    expect(finding === undefined ? [] : causeCodes([finding])).toEqual(causes);
  });
});

describe('reads of a session in a load', () => {
  const act = { id: 'e1', type: 'shade_selected', sku: 'A', at: '2026-05-01T12:00:00.000Z' };
  const later = { ...act, id: 'e2', sku: 'B' };
  const { id: _, ...withoutId } = act;
  type Read = readonly [second: number, events: readonly object[], port?: number];

  it.each<[string, readonly Read[], Verdict | undefined, ...CauseCode[]]>([
    [
      'may show more events',
      [
        [30, [act]],
        [40, [act, later]],
      ],
      undefined,
    ],
    [
      'may show them in another order',
      [
        [30, [act, later]],
        [40, [later, act]],
      ],
      undefined,
    ],
    [
      'may show them without ids',
      [
        [30, [withoutId]],
        [40, [withoutId]],
      ],
      undefined,
    ],
    [
      'must show the same values',
      [
        [30, [act]],
        [40, [{ ...act, sku: 'C' }]],
      ],
      'fail',
    ],
    [
      'must show all of them again',
      [
        [30, [act, later]],
        [40, [later]],
      ],
      'fail',
    ],
    [
      'may show one late over another connection',
      [
        [30, [act, later]],
        [30.5, [act]],
        [40, [act, later]],
      ],
      undefined,
    ],
    [
      'must show it there in the end',
      [
        [30, [act, later]],
        [30.5, [act]],
        [40, [act]],
      ],
      'fail',
    ],
    [
      'are stale where one shows what its connection showed before',
      [
        [30, [act], 1],
        [35, [act, later], 2],
        [40, [act], 1],
      ],
      'fail',
      'session-read-stale',
    ],
    [
      'have changed where a new connection shows fewer',
      [
        [30, [act], 1],
        [35, [act, later], 2],
        [40, [act], 3],
      ],
      'fail',
    ],
  ])('%s', async (_name, reads, verdict, ...causes) => {
    const read = { endpoint: 'read-session', sessionId: 's1' } as const;
    const findings = await judged({
      profile: { analytics: { freshness: '1s' } },
      more: reads.map(([at, , localPort], n) => ({
        ...read,
        ...(localPort !== undefined && { localPort }),
        seq: 950 + n,
        intendedNs: at * second,
      })),
      answers: reads.map(([, interactions], n) => ({
        seq: 950 + n,
        endpoint: read.endpoint,
        query: {},
        body: { session_id: 's1', interactions },
      })),
    });
    const finding = findings.find(({ id }) => id === 'contract.reads-agree');
    expect(finding?.verdict, finding?.explanation).toBe(verdict);
    expect(finding === undefined ? [] : causeCodes([finding])).toEqual(causes);
  });
});

it('one session of a load that has expired at its creation fails the check of expiries', async () => {
  const expiry = async (expiresAt: string): Promise<Verdict | undefined> =>
    (await judged({ more: [{ ...opened, count: 2, expiresAt }] })).find(({ id }) => id === 'contract.expiry')
      ?.verdict;
  expect(await expiry('2026-05-01T12:30:00.000Z')).toBeUndefined();
  expect(await expiry('2026-05-01T11:30:00.000Z')).toBe('fail');
});
