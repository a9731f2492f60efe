import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openHistory } from '../../src/history/history.ts';
import { type SampleRequest, withHistory, writeRun } from './sample.ts';
import { temporaryFolder } from './temporary-folder.ts';

const requestRow = z.object({
  seq: z.number(),
  status: z.number().nullable(),
  lost: z.string().nullable(),
  not_sent: z.string().nullable(),
  session_id: z.string().nullable(),
});

/** A request due and sent at an instant, with its answer at another, milliseconds. */
function request(dueMs: number, answeredMs: number, more: Partial<SampleRequest> = {}): SampleRequest {
  return {
    endpoint: 'read-session',
    intendedNs: dueMs * 1e6,
    sentNs: dueMs * 1e6,
    answeredNs: answeredMs * 1e6,
    ...more,
  };
}

interface KnownPart {
  /** `seq` and what became of it. */
  readonly requests: readonly string[];
  /** `seq` of the answers and of the events that are there. */
  readonly answers: readonly number[];
  readonly events: readonly number[];
  readonly leftOut: number;
}

/** What is read of a history with these records, each request with an answer and an event, that was never closed. */
async function knownPart(requests: readonly SampleRequest[]): Promise<KnownPart> {
  const dir = await temporaryFolder();
  const seqs = requests.map(({ seq }, place) => seq ?? place + 1);
  await writeRun(
    {
      requests,
      answers: seqs.map((seq) => ({ seq, endpoint: 'read-session', query: {}, body: {} })),
      interactions: seqs.map((seq) => ({
        ...{
          seq,
          id: `${seq}`,
          sessionId: 's',
          type: 'shade_selected',
          sku: 'a',
          at: '2026-05-01T12:00:00.000Z',
        },
      })),
    },
    dir,
  );
  const { ended: _, ...begun } = JSON.parse(await readFile(join(dir, 'run.json'), 'utf8'));
  await writeFile(join(dir, 'run.json'), JSON.stringify(begun));
  await rm(join(dir, 'history/manifest.json'));
  const history = await openHistory(dir);
  try {
    const seqsOf = async (table: string): Promise<number[]> =>
      (await history.rows(z.object({ seq: z.number() }), `SELECT seq FROM ${table} ORDER BY seq`)).map(
        ({ seq }) => seq,
      );
    const rows = await history.rows(
      requestRow,
      'SELECT seq, status, lost, not_sent, session_id FROM requests ORDER BY seq',
    );
    return {
      requests: rows.map(
        ({ lost, not_sent, seq, session_id, status }) =>
          `${seq} ${[status, lost, not_sent].filter((each) => each !== null).join()}${session_id === null ? '' : ` ${session_id}`}`,
      ),
      answers: await seqsOf('answers'),
      events: await seqsOf('interactions'),
      leftOut: history.leftOut,
    };
  } finally {
    history.close();
  }
}

describe('of a history that was cut off, what is known', () => {
  it.each<[string, readonly SampleRequest[], KnownPart]>([
    [
      'is all of it, if no request is missing',
      [request(10, 15), request(20, 45), request(30, 35)],
      { requests: ['1 200', '2 200', '3 200'], answers: [1, 2, 3], events: [1, 2, 3], leftOut: 0 },
    ],
    [
      'ends before the first request that is not on disk; what was in flight then was stopped',
      [request(10, 15), request(20, 50), request(30, 35), request(45, 48, { seq: 5 })],
      { requests: ['1 200', '2 stopped', '3 stopped'], answers: [1], events: [1, 2, 3], leftOut: 1 },
    ],
    [
      'is not what a stopped request was answered',
      [
        request(10, 12),
        request(20, 50, { endpoint: 'create-session', sessionId: 'new' }),
        request(55, 60, { seq: 4 }),
      ],
      { requests: ['1 200', '2 stopped'], answers: [1], events: [1, 2], leftOut: 1 },
    ],
    [
      'is nothing if the first request is missing',
      [request(10, 15, { seq: 2 }), request(20, 25, { seq: 3 })],
      { requests: [], answers: [], events: [], leftOut: 2 },
    ],
    ['is nothing if there is nothing', [], { requests: [], answers: [], events: [], leftOut: 0 }],
  ])('%s', async (_what, requests, known) => {
    expect(await knownPart(requests)).toEqual(known);
  });

  it('had no request in it that had to wait beyond its end', async () => {
    const waiting = request(20, 50, { sentNs: 45e6 });
    const { requests } = await knownPart([
      request(10, 15),
      waiting,
      request(30, 35),
      request(60, 65, { seq: 5 }),
    ]);
    expect(requests).toEqual(['1 200', '2 stopped', '3 stopped']);
  });
});

describe('columns of a query', () => {
  it('are as long as the query has rows, however many chunks they come in, and in its order', async () => {
    const [column] = await withHistory({ requests: [] }, (history) =>
      history.columns('SELECT CAST(range AS DOUBLE) FROM range(200_001) ORDER BY range DESC'),
    );
    expect(column?.length).toBe(200_001);
    expect(column?.every((value, row) => value === 200_000 - row)).toBe(true);
  });

  it('say NaN where there is nothing', async () => {
    const columns = await withHistory({ requests: [] }, (history) =>
      history.columns("SELECT CAST(nullif(range, 1) AS DOUBLE), CAST('NaN' AS DOUBLE) FROM range(3)"),
    );
    expect(columns.map((column) => [...column])).toEqual([
      [0, Number.NaN, 2],
      [Number.NaN, Number.NaN, Number.NaN],
    ]);
  });

  it('are there, and empty, where no row is', async () => {
    const columns = await withHistory({ requests: [] }, (history) =>
      history.columns('SELECT CAST(range AS DOUBLE), CAST(range AS DOUBLE) FROM range(0)'),
    );
    expect(columns.map(({ length }) => length)).toEqual([0, 0]);
  });

  it('are numbers and nothing else', async () => {
    const asked = withHistory({ requests: [] }, (history) => history.columns('SELECT range FROM range(3)'));
    await expect(asked).rejects.toThrow('not numbers');
  });
});
