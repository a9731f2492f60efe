import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../src/checks/core/verdict.ts';
import { judge } from '../../src/checks/judge.ts';
import { openHistory } from '../../src/history/history.ts';
import { readExpected, unpack } from '../frozen/folder.ts';
import { temporaryFolder } from '../history/temporary-folder.ts';

const honest = join(import.meta.dirname, '../frozen/honest');

const lost = "status = NULL, lost = 'timeout', server_date_ms = NULL";

/** What the checks say of the run of an honest service, once some of its answers are gone. */
async function judgedWithout(which: string, instead = lost): Promise<ReadonlyMap<string, CheckResult>> {
  const runDir = await temporaryFolder();
  unpack(honest, runDir);
  const history = await openHistory(runDir);
  try {
    await history.execute(`DELETE FROM bodies WHERE seq IN (SELECT seq FROM requests WHERE ${which})`);
    await history.execute(
      `UPDATE requests SET ${instead}, retry_after = NULL, limit_headers = NULL WHERE status IS NOT NULL AND (${which})`,
    );
    const { checks } = await judge(history);
    return new Map(checks.map((check) => [check.id, check]));
  } finally {
    history.close();
  }
}

/** The checks about the target, and not about the program and its record, that the whole run passes. */
const passing = Object.entries(readExpected(honest).checks)
  .filter(([id, verdict]) => verdict === 'pass' && !/^(books|generator|history)\./.test(id))
  .map(([id]) => id);

describe('an answer that is set aside is no part of a pass', () => {
  it('so no check passes where no request has an answer', async () => {
    const none = await judgedWithout('true');
    expect(passing.length).toBeGreaterThan(40);
    expect(passing.filter((id) => none.get(id)?.verdict === 'pass')).toEqual([]);
  });

  it('so no check of what the target does with a request passes where each got 429', async () => {
    const none = await judgedWithout('true', 'status = 429');
    const still = passing.filter((id) => none.get(id)?.verdict === 'pass');
    // Each speaks of 429s, or of answers whatever they are.
    expect(still).toEqual([
      'contract.availability',
      'rate-limit.rejections',
      'rate-limit.headers',
      'latency.table',
    ]);
  });

  it('so each check that still passes by every other answer names what it leaves out', async () => {
    const half = await judgedWithout('seq % 2 = 0');
    const still = passing.filter((id) => half.get(id)?.verdict === 'pass');
    expect(still.length).toBeGreaterThan(10);
    const names = (id: string): boolean =>
      half.get(id)?.reasons.some(({ code }) => code === 'unanswered-left-out') === true;
    expect(still.filter((id) => !names(id))).toEqual([]);
  });
});
