/**
 * `node bench/study-power.ts [--seeds n] [--out docs/accuracy.md]`: how often `run limits` finds a service that differs from
 * the promise a little, in virtual time. One study per seed and limiter.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { diagnose } from '../src/checks/diagnosis/diagnose.ts';
import { randomStream } from '../src/random.ts';
import { renderedRateLimit } from '../test/checks/rate-limit/rendered.ts';
import {
  inTurns,
  type ServiceTraits,
  slidingLog,
  tokenBucket,
  virtualService,
} from '../test/drive/study/services.ts';
import { playStudy } from '../test/drive/study/world.ts';
import { withHistory } from '../test/history/sample.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
    out: { type: 'string' },
  },
});
const seeds = Number(values.seeds);
const promised = { limit: 100, windowMs: 6_000 };
const budgetMs = 60_000;

type Limiter = typeof slidingLog;
const limiters: readonly Limiter[] = [slidingLog, tokenBucket];

type Traits = (
  make: (limit?: number, windowMs?: number, driftPerS?: number) => ReturnType<Limiter>,
  seed: number,
) => ServiceTraits;

/** One in so many requests of the bystander key is counted as one of the load key. */
const countedForOther =
  (share: number): Traits =>
  (make, seed) => {
    const random = randomStream(seed, 'shared');
    return {
      limiter: make,
      countedBy: ({ role = '' }) => (role === 'bystander' && random() < share ? 'load' : role),
    };
  };

/** Requests to these endpoints count as several, or not at all. */
const weighing =
  (endpoint: RegExp, times: number): Traits =>
  (make) => ({
    limiter: make,
    weight: ({ method, path }) => (endpoint.test(`${method} ${path}`) ? times : 1),
  });

/** A limit that changes evenly, by so much until the end of the study. */
const drifting =
  (part: number): Traits =>
  (make) => ({ limiter: () => make(promised.limit, promised.windowMs, part / (budgetMs / 1e3)) });

const services: Readonly<Record<string, Traits>> = {
  'as promised': (make) => ({ limiter: make }),
  'limit of 101': (make) => ({ limiter: () => make(101) }),
  'limit of 99': (make) => ({ limiter: () => make(99) }),
  'window 1 % longer': (make) => ({ limiter: () => make(100, 6_060) }),
  'window 1 % shorter': (make) => ({ limiter: () => make(100, 5_940) }),
  'one limit for all keys': (make) => ({ limiter: make, countedBy: () => 'all' }),
  'all bystander requests count for the load key': countedForOther(1),
  'half of the bystander requests count for the load key': countedForOther(0.5),
  'a tenth of the bystander requests count for the load key': countedForOther(0.1),
  'a limit for each endpoint': (make) => ({
    limiter: make,
    countedBy: ({ method, path, role }) => `${role} ${method} ${path.replace(/\?.*|\/s\d+$/, '')}`,
  }),
  'two nodes in turn': (make) => ({ limiter: make, countedBy: inTurns(2) }),
  'every import counts twice': weighing(/^POST .*\/shades$/, 2),
  'every new session counts twice': weighing(/^POST .*\/sessions$/, 2),
  'every read of a session counts twice': weighing(/^GET .*\/sessions\/\w+/, 2),
  'every analytics query counts twice': weighing(/\/analytics\//, 2),
  'imports are rejected at the limit, but never counted': weighing(/^POST .*\/shades$/, 0),
  'analytics queries are rejected at the limit, but never counted': weighing(/\/analytics\//, 0),
  'a limit that shrinks by 2 % until the end': drifting(-0.02),
  'a limit that shrinks by 5 %': drifting(-0.05),
  'a limit that shrinks by 10 %': drifting(-0.1),
  'a limit that grows by 2 %': drifting(0.02),
  'a limit that grows by 5 %': drifting(0.05),
  'a limit that grows by 10 %': drifting(0.1),
  'a new limit for each X-Forwarded-For': (make) => ({
    limiter: make,
    countedBy: ({ forwardedFor, role }) => `${role} ${forwardedFor}`,
  }),
};

const startedMs = performance.now();
const lines: string[] = [];
/** Services that were found each time, always with the same cause first, by that cause. */
const found = new Map<string, string[]>();
for (const [name, traits] of Object.entries(services)) {
  if (!name.includes(values.only)) continue;
  const tally = { studies: 0, failed: 0, undecided: 0 };
  const causes = new Map<string, number>();
  const failing = new Map<string, number>();
  for (const limiter of limiters) {
    for (let seed = 1; seed <= seeds; seed++) {
      const make = (
        limit = promised.limit,
        windowMs = promised.windowMs,
        driftPerS = 0,
      ): ReturnType<Limiter> => limiter(limit, windowMs, driftPerS);
      const { sample } = await playStudy({
        service: virtualService(traits(make, seed)),
        profile: { rate_limit: '100/6s', limit_scope: 'per-key', limit_endpoints: 'together' },
        seed,
        study: { kind: 'limits', budgetMs },
      });
      const results = await withHistory(sample, (history) => renderedRateLimit(history));
      const failed = results.filter(({ verdict }) => verdict === 'fail');
      tally.studies++;
      if (failed.length > 0) tally.failed++;
      else if (results.some(({ verdict }) => verdict === 'inconclusive')) tally.undecided++;
      for (const { id } of failed) failing.set(id, (failing.get(id) ?? 0) + 1);
      const cause = diagnose(results).causes[0]?.cause.code;
      if (cause !== undefined) causes.set(cause, (causes.get(cause) ?? 0) + 1);
    }
  }
  const listed = (counts: ReadonlyMap<string, number>): string =>
    [...counts]
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, 3)
      .map(([what, count]) => `\`${what}\` ${count}`)
      .join(', ');
  const line = `| ${name} | ${tally.failed} of ${tally.studies} | ${tally.undecided} | ${listed(causes)} |`;
  const [[cause = '', count = 0] = []] = causes;
  if (count === tally.studies) found.set(cause, [...(found.get(cause) ?? []), name]);
  else lines.push(line);
  process.stdout.write(`${line} ${listed(failing)}\n`);
}

const command = ['node bench/study-power.ts', ...process.argv.slice(2)].join(' ');
const text = [
  `${new Date().toISOString().slice(0, 10)}, \`${command}\`, ${Math.round((performance.now() - startedMs) / 1e3)} s:`,
  '',
  '| The service has | Failed | Undecided | First cause |',
  '|---|---|---|---|',
  ...lines,
  '',
  'Found each time, with one cause first:',
  '',
  ...[...found].map(([cause, names]) => `- \`${cause}\`: ${names.join('; ')}`),
].join('\n');
if (values.out !== undefined) {
  const mark = '<!-- study-power -->';
  const parts = (await readFile(values.out, 'utf8')).split(mark);
  await writeFile(values.out, `${parts[0]}${mark}\n${text}\n${mark}${parts[2] ?? '\n'}`);
}
