import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkOpenApi } from '../../../src/checks/contract/openapi/openapi.ts';
import { render } from '../../../src/checks/core/render.ts';
import { openHistory } from '../../../src/history/history.ts';
import { checkIntegrity } from '../../../src/history/recover.ts';
import { type SampleHistory, sampleRun, withHistory, writeRun } from '../../history/sample.ts';
import { temporaryFolder } from '../../history/temporary-folder.ts';

const shades = { type: 'object', required: ['shades'] };
const description = JSON.stringify({
  openapi: '3.1.0',
  paths: {
    '/shades': { get: { responses: { 200: { content: { 'application/json': { schema: shades } } } } } },
    '/list/{catalog}': {
      put: { responses: { 200: { content: { 'application/json': { schema: shades } } } } },
    },
  },
});
const openapi = { from: 'shop.json', sha256: createHash('sha256').update(description).digest('hex') };
const describedHeaders = '{"content-type":"application/json"}';
const viaAdapter = '{":route":"PUT /list/{catalog_id}","content-type":"application/json"}';
const list = { endpoint: 'list-shades', bytes: 2, describedHeaders } as const;

interface Case extends SampleHistory {
  readonly sentence: string;
  readonly text?: string;
  /** The verdict and the codes of its reasons; undefined: there is no check. */
  readonly is: string | undefined;
}

const cases: readonly Case[] = [
  { sentence: 'is none without a description', run: {}, requests: [list], is: undefined },
  {
    sentence: 'passes, and says which bodies were not recorded',
    requests: [list, list],
    answers: [{ seq: 1, endpoint: 'list-shades', query: {}, sample: true, body: { shades: [] } }],
    is: 'pass: openapi-agrees openapi-unread openapi-uncalled',
  },
  {
    sentence: 'fails by a body that was kept for it alone',
    requests: [list],
    answers: [{ seq: 1, endpoint: 'list-shades', query: {}, sample: true, body: {} }],
    is: 'fail: openapi-body',
  },
  {
    sentence: 'holds the body on the wire against the path of the map',
    profile: { map: { list_shades: { method: 'PUT', path: '/list/{catalog_id}?all=1' } } },
    requests: [list],
    answers: [{ seq: 1, endpoint: 'list-shades', query: {}, body: { shades: [] }, wire: { items: [] } }],
    is: 'fail: openapi-body',
  },
  {
    sentence: 'does not judge the body that a map made',
    profile: { map: { list_shades: { method: 'PUT', path: '/list/{catalog_id}?all=1' } } },
    requests: [list],
    answers: [{ seq: 1, endpoint: 'list-shades', query: {}, body: {} }],
    is: 'pass: openapi-agrees openapi-unread openapi-uncalled',
  },
  {
    sentence: 'holds the status on the wire, where the target has another one than is read',
    requests: [{ ...list, status: 404, wireStatus: 200 }],
    is: 'pass: openapi-agrees openapi-unread openapi-uncalled',
  },
  {
    sentence: 'leaves out requests whose path is spelled otherwise',
    requests: [list, { ...list, status: 418, probe: 'scope:spelled' }],
    is: 'pass: openapi-agrees openapi-unread openapi-uncalled',
  },
  {
    sentence: 'is inconclusive where nothing that is described was called',
    requests: [{ endpoint: 'analytics', status: 401, bytes: 2, describedHeaders }],
    is: 'inconclusive: openapi-none-called',
  },
  {
    sentence: 'holds an answer against the operation that an adapter called',
    profile: { adapter: '/shop/adapter.ts' },
    requests: [{ ...list, describedHeaders: viaAdapter }],
    answers: [{ seq: 1, endpoint: 'list-shades', query: {}, body: { shades: [] }, wire: { items: [] } }],
    is: 'fail: openapi-body',
  },
  {
    sentence: 'is inconclusive where an adapter stood between, and the history does not say what it called',
    profile: { adapter: '/shop/adapter.ts' },
    requests: [{ ...list, describedHeaders }],
    is: 'inconclusive: openapi-none-called',
  },
  {
    sentence: 'is inconclusive where the description is gone',
    text: '',
    requests: [list],
    is: 'inconclusive: openapi-gone',
  },
  {
    sentence: 'is inconclusive where the description was made unreadable',
    text: '{',
    requests: [list],
    is: 'inconclusive: checks-threw',
  },
];

describe('the check of a description', () => {
  it.each(cases)('$sentence', async ({ is, text = description, ...sample }) => {
    const [result] = await withHistory({ run: { openapi }, ...sample }, async (history) =>
      (await checkOpenApi({ ...history, openapi: text === '' ? undefined : text })).map(render),
    );
    const codes = result?.reasons.map(({ code }) => code).join(' ');
    expect(result === undefined ? undefined : `${result.verdict}: ${codes}`).toBe(is);
  });

  it('has bodies that other checks do not see', async () => {
    const answers = [{ seq: 1, endpoint: 'list-shades', query: {}, sample: true, body: {} }] as const;
    const rows = await withHistory({ requests: [list], answers }, (history) =>
      history.rows(z.object({ n: z.number() }), 'SELECT count(*) AS n FROM answers'),
    );
    expect(rows).toEqual([{ n: 0 }]);
  });
});

describe('the description in the folder of a run', () => {
  const change: readonly (readonly [string, (file: string) => Promise<void>, readonly string[]])[] = [
    ['is as it was', () => Promise.resolve(), []],
    ['was changed', (file) => writeFile(file, '{}'), ['openapi.json: differs from the start of the run']],
    ['was removed', (file) => rm(file), ['openapi.json: missing']],
  ];

  it.each(change)('%s', async (_, alter, differences) => {
    const dir = await temporaryFolder();
    await writeRun({ run: { openapi }, requests: [list] }, dir);
    const file = join(dir, 'history', 'openapi.json');
    await writeFile(file, description);
    await alter(file);
    const history = await openHistory(dir);
    history.close();
    const integrity = await checkIntegrity(dir, { ...sampleRun, ...history.run });
    expect(integrity.kind === 'altered' ? integrity.differences : []).toEqual(differences);
  });
});
