import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkRateLimit } from '../../src/checks/rate-limit.ts';
import { begunRateLimit } from '../../src/checks/rate-limit-beside.ts';
import { addColumnarCopy } from '../../src/history/columnar.ts';
import { type History, openHistory } from '../../src/history/history.ts';
import { HistoryWriter } from '../../src/history/writer.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { sampleRequest, sampleRun } from '../history/sample.ts';
import { temporaryFolder } from '../history/temporary-folder.ts';

/** A history of 30 requests in 0.3 s, of which a limit of 10 a second rejects two thirds. */
async function opened(fromBytes: number): Promise<History> {
  const dir = await temporaryFolder();
  const run = {
    ...sampleRun,
    checks: ['rate-limit'],
    profile: profileSchema.parse({ rate_limit: '10/1s' }),
  };
  await writeFile(join(dir, 'run.json'), JSON.stringify(run));
  const writer = await HistoryWriter.create(dir);
  for (let n = 1; n <= 30; n++) {
    const atNs = n * 10e6;
    const times = { intendedNs: atNs, readyNs: atNs, sentNs: atNs, answeredNs: atNs + 2e6 };
    writer.request(sampleRequest({ endpoint: 'list-shades', status: n <= 10 ? 200 : 429, ...times }, n));
  }
  await writer.close();
  await addColumnarCopy(dir, 1, { fromBytes });
  return openHistory(dir);
}

it('a thread finds in a history with a columnar copy what the check finds', async () => {
  const history = await opened(0);
  const check = await begunRateLimit(history);
  expect(check).not.toBe(checkRateLimit);
  const findings = await check(history);
  expect(findings.some(({ verdict }) => verdict === 'pass')).toBe(true);
  expect(findings).toEqual(await checkRateLimit(history));
  history.close();
});

it('no thread is started for a history without a copy', async () => {
  const history = await opened(Number.POSITIVE_INFINITY);
  expect(await begunRateLimit(history)).toBe(checkRateLimit);
  history.close();
});
