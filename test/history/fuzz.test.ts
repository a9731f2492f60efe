import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Judgement } from '../../src/checks/diagnosis/diagnosis.ts';
import { conclude } from '../../src/commands/run/conclude.ts';
import { TryonError } from '../../src/exit.ts';
import { historyFiles } from '../../src/history/files.ts';
import { endDigest, type RunInfo, runDigest } from '../../src/history/run.ts';
import { HistoryWriter } from '../../src/history/writer.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { Scene } from '../checks/analytics/scene.ts';
import { rowsOf, times } from '../effort.ts';
import { anyJson, type Damage, damage, damaged } from '../target/garbage.ts';
import { type SampleRequest, sampleRequest, sampleRun } from './sample.ts';

const second = 1e9;

/** A small run that went well, in which every file of a history has something to say. */
function sceneOfRun(): Scene {
  const scene = new Scene();
  scene.ask({}, {}, 'baseline');
  for (const [index, acts] of [['a', 'b', '+b'], ['a'], [], ['b', 'a', 'a'], ['x', '+x']].entries()) {
    const id = scene.visit(`p${index % 2}`, acts);
    if (index < 3) scene.read(id);
  }
  scene.session('p1', { outcome: 'lost-but-made' });
  for (let n = 0; n < 5; n++)
    scene.session('q', { credential: 'quota', outcome: n < 3 ? 'granted' : 'refused' });
  scene.pause(20_000);
  for (const product of ['p0', 'p1']) scene.ask({ product });
  scene.ask();
  scene.ask();
  return scene;
}

const scene = sceneOfRun();
const isLoad = ({ stage = 'load' }: SampleRequest): boolean => stage === 'load';

const run: RunInfo = {
  ...sampleRun,
  profile: profileSchema.parse({ rate_limit: '60/2s', quota: { sessions: 3, fresh: true }, lost_bound: 0.1 }),
  keys: {
    load: { from: 'env LOAD', fingerprint: '01234567' },
    quota: { from: 'env QUOTA', fingerprint: '89abcdef' },
  },
  phases: [
    {
      name: 'phase',
      role: 'load',
      unit: 'requests',
      pace: '30/s',
      start_ns: 0,
      end_ns: 2 * second,
      peak_per_minute: 1_800,
    },
  ],
  slo: [{ endpoint: '*', percentile: 99, max_ms: 1_000 }],
  planned_requests: scene.requests.filter(isLoad).length,
  quota_attempts: 5,
  catalogs: [{ id: 'catalog', role: 'load', shades: 3 }],
  products: [
    { id: 'p0', name: 'Velvet' },
    { id: 'p1', name: 'Silk' },
  ],
  budget: [{ role: 'load', requests: 100, sessions: 10, imports: 1 }],
};

/** The folder of the run. `isClosed`: it came to its end, and its history was closed. */
async function writeRun(dir: string, isClosed: boolean): Promise<void> {
  const { ended, ...begun } = run;
  await writeFile(join(dir, 'run.json'), `${JSON.stringify(isClosed ? run : begun, null, 2)}\n`);
  const writer = await HistoryWriter.create(dir);
  let planned = 0;
  for (const [index, request] of scene.requests.entries())
    writer.request(sampleRequest(isLoad(request) ? { ...request, planned: planned++ } : request, index + 1));
  for (const record of scene.interactions) writer.interaction(record);
  for (const record of scene.answers) writer.answer(record);
  for (const sku of ['a', 'b', 'x'])
    writer.catalog({
      catalogId: 'catalog',
      productId: 'p0',
      productName: 'Velvet',
      sku,
      name: sku,
      hex: '#AA0000',
      finish: 'matte',
    });
  writer.event({ kind: 'phase', name: 'phase', startNs: 0, endNs: 2 * second });
  writer.event({
    kind: 'self',
    atNs: second,
    loopDelayMaxMs: 1,
    gcMs: 0,
    cpuMs: 5,
    inFlight: 1,
    sendLagMaxMs: 1,
  });
  writer.event({ kind: 'discovered', what: 'format of start_date and end_date', value: 'date', seq: 1 });
  await writer.close(runDigest(run), ended === undefined ? undefined : endDigest(ended));
  if (!isClosed) await rm(join(dir, 'history', 'manifest.json'));
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tryon-fuzz-'));
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

const files = [
  'run.json',
  'history/manifest.json',
  ...Object.values(historyFiles).map((name) => `history/${name}`),
];

type Change =
  | { readonly kind: 'empty' }
  | { readonly kind: 'bytes'; readonly damages: readonly Damage[] }
  /** A line is gone, there twice, or in another place. */
  | { readonly kind: 'line'; readonly how: string; readonly from: number; readonly to: number }
  /** A number, wherever it stands, is another. */
  | { readonly kind: 'number'; readonly at: number; readonly other: string }
  /** A value of JSON, wherever it stands, is another. */
  | { readonly kind: 'value'; readonly at: number; readonly other: unknown };

const part = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const oddNumber = fc.constantFrom(
  ...['0', '-1', '1.5', '9007199254740993', '99999999999999999999'],
  ...['1e300', '1e-300', '1e999', 'NaN', '', '"x"', 'null'],
);
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Change>({ kind: 'empty' }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('bytes' as const),
      damages: fc.array(damage, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('line' as const),
      how: fc.constantFrom('drop', 'repeat', 'move'),
      from: part,
      to: part,
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('number' as const), at: part, other: oddNumber }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('value' as const), at: part, other: anyJson }) },
);

const aNumber = /(?<![\w.-])\d+(?:\.\d+)?(?![\w.-])/g;
const aValue = /(?<=[:[,]\s*)(?:"(?:[^"\\]|\\.)*"|true|false|null|-?\d[\d.e+-]*|\{\}|\[\])(?=\s*[,\]}])/g;

function changedBy(bytes: Buffer, change: Change): Buffer {
  switch (change.kind) {
    case 'empty':
      return Buffer.alloc(0);
    case 'bytes':
      return change.damages.reduce(damaged, bytes);
    case 'line': {
      const lines = bytes.toString('utf8').split(/(?<=\n)/);
      const at = Math.floor(change.from * lines.length);
      const line = lines[at] ?? '';
      if (change.how !== 'repeat') lines.splice(at, 1);
      if (change.how !== 'drop') lines.splice(Math.floor(change.to * lines.length), 0, line);
      return Buffer.from(lines.join(''));
    }
    case 'number':
      return replaced(bytes, aNumber, change.at, change.other);
    case 'value':
      return replaced(bytes, aValue, change.at, JSON.stringify(change.other) ?? 'null');
  }
}

/** The bytes with one of the places that match replaced, if any does. */
function replaced(bytes: Buffer, pattern: RegExp, at: number, other: string): Buffer {
  const text = bytes.toString('utf8');
  const places = [...text.matchAll(pattern)];
  const place = places[Math.floor(at * places.length)];
  if (place === undefined) return bytes;
  return Buffer.from(text.slice(0, place.index) + other + text.slice(place.index + place[0].length));
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Whether a file says something else; `run.json` and the manifest are read as JSON, the others are known by their bytes. */
function saysOther(file: string, before: Buffer, after: Buffer): boolean {
  return file.endsWith('.json')
    ? JSON.stringify(parsed(before)) !== JSON.stringify(parsed(after))
    : !before.equals(after);
}

/** What verify makes of a folder: a judgement, or an error for the one who called it. Any other error goes on. */
async function concluded(dir: string): Promise<Judgement | string> {
  try {
    return await conclude(dir);
  } catch (error) {
    if (error instanceof TryonError) return error.message;
    throw error;
  }
}

function integrityOf(judgement: Judgement): string | undefined {
  return judgement.checks.find(({ id }) => id === 'history.integrity')?.verdict;
}

describe('a history', () => {
  it('of these tests passes or is in doubt, as it stands', async () => {
    const dir = await mkdtemp(join(folder, 'whole-'));
    await writeRun(dir, true);
    const judgement = await concluded(dir);
    if (typeof judgement === 'string') throw new Error(judgement);
    expect(judgement.checks.filter(({ id, verdict }) => verdict === 'fail' || id.endsWith('.error'))).toEqual(
      [],
    );
    expect(judgement.checks.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(20);
    expect(integrityOf(judgement)).toBe('pass');
  });

  it.each(rowsOf(files, (_, place) => place % 3 === 0))(
    'whose %s was changed is found altered or cannot be read: no crash, and no verdict to rely on',
    async (file) => {
      const dir = await mkdtemp(join(folder, 'closed-'));
      await writeRun(dir, true);
      const whole = await readFile(join(dir, file));
      await fc.assert(
        fc.asyncProperty(anyChange, async (change) => {
          const changed = changedBy(whole, change);
          await writeFile(join(dir, file), changed);
          const result = await concluded(dir);
          if (typeof result === 'string') {
            expect(result).toContain(dir);
            return;
          }
          if (file !== 'history/manifest.json' && saysOther(file, whole, changed)) {
            expect(integrityOf(result)).toBe('fail');
            expect(result.verdict).toBe('fail');
          }
        }),
        { numRuns: times(1, 10), endOnFailure: true },
      );
    },
  );

  it.each(
    rowsOf(
      files.filter((file) => file !== 'history/manifest.json'),
      (_, place) => place % 3 === 1,
    ),
  )('that was cut off, and whose %s was changed, does not pass and does not crash', async (file) => {
    const dir = await mkdtemp(join(folder, 'open-'));
    await writeRun(dir, false);
    await fc.assert(
      fc.asyncProperty(anyChange, async (change) => {
        const copy = await mkdtemp(join(folder, 'copy-'));
        await cp(dir, copy, { recursive: true });
        await writeFile(join(copy, file), changedBy(await readFile(join(copy, file)), change));
        const result = await concluded(copy);
        if (typeof result === 'string') expect(result).toContain(copy);
        else expect(result.verdict).not.toBe('pass');
      }),
      { numRuns: times(1, 5), endOnFailure: true },
    );
  });
});
