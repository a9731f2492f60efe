import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CheckJson } from '../../src/checks/verdicts.ts';
import type { ProfileInput } from '../../src/target/profile.ts';
import { rowsOf } from '../effort.ts';
import {
  delayed,
  deliveredTwice,
  type Fault,
  resetAfter,
  resetBefore,
  startFaultProxy,
  truncated,
} from './fault-proxy.ts';
import {
  atEnd,
  atMost,
  brief,
  type Ended,
  leaks,
  patient,
  profileArguments,
  readVerdicts,
  serve,
  temporaryFolder,
  tryon,
} from './program.ts';

const gate = atMost(2);
/** Other requests meet the faults each time; said with every failure. */
const seed = Date.now();
const roles = ['load', 'quota', 'bystander'] as const;

interface Trouble {
  readonly fault: Fault;
  /** The share of requests with the fault, of those that may have it. */
  readonly share: number;
  readonly mayMeet?: (request: IncomingMessage, key: string | undefined) => boolean;
  readonly profile?: ProfileInput;
  /** The checks that may be left in doubt, if it is known which: in any case not half of them. */
  readonly doubtful?: RegExp;
}

const never = [0, 0] as const;
/** What a request spends when it is delivered again. */
const limits = /^(rate-limit|quota)\./;
/** What is held longer than this is given up on. */
const impatient: ProfileInput = { timeouts: { headers: '1s', body: '1s' } };
const heldAnswer = delayed(never, [1_200, 2_500]);
/** The harness takes a request that it has given up on to arrive within another second, if ever. */
const heldRequest = delayed([1_200, 1_800], never);
const losses: readonly Fault[] = [resetBefore, resetAfter, truncated, heldAnswer, heldRequest];
const anyLoss: Fault = (passage, random) =>
  (losses[Math.floor(random() * losses.length)] ?? resetBefore)(passage, random);
/** Each answer of a request that is delivered twice may be lost, too. */
const twiceOrLost: Fault = (passage, random) =>
  random() < 0.05
    ? deliveredTwice({ ...passage, answer: () => passage.reset() }, random)
    : (random() < 0.9 ? deliveredTwice : anyLoss)(passage, random);

const isInteraction = ({ url = '' }: IncomingMessage): boolean => url.endsWith('/interactions');
const isImport = ({ method, url }: IncomingMessage): boolean => method === 'POST' && url === '/v1/shades';
const isAnalytics = ({ url = '' }: IncomingMessage): boolean => url.startsWith('/v1/analytics/');

const troubles: readonly [sentence: string, trouble: Trouble][] = [
  ['all requests and answers take 40 ms', { fault: delayed([40, 40], [40, 40]), share: 1 }],
  [
    'requests and answers take anything up to 300 ms, and overtake each other',
    { fault: delayed([0, 300], [0, 300]), share: 0.3 },
  ],
  ['answers break off', { fault: truncated, share: 0.04 }],
  ['answers are held back past the time-out', { fault: heldAnswer, share: 0.04, profile: impatient }],
  ['requests are held back past the time-out', { fault: heldRequest, share: 0.04, profile: impatient }],
  ['all of that happens', { fault: anyLoss, share: 0.06, profile: impatient }],
  [
    'events, which have ids, are delivered twice',
    { fault: deliveredTwice, share: 0.2, mayMeet: isInteraction },
  ],
  [
    'imports and questions for analytics are delivered twice',
    { fault: deliveredTwice, share: 0.6, mayMeet: (request) => isImport(request) || isAnalytics(request) },
  ],
  [
    'a fifth of all requests are delivered twice, and the profile says so',
    { fault: deliveredTwice, share: 0.2, profile: { redeliveries: 1 }, doubtful: limits },
  ],
  [
    'all requests are delivered twice, and the profile says so',
    { fault: deliveredTwice, share: 1, profile: { redeliveries: 1 }, doubtful: limits },
  ],
  [
    'requests are delivered twice, as the profile says, and some of them and their answers are lost',
    { fault: twiceOrLost, share: 0.4, profile: { ...impatient, redeliveries: 1 } },
  ],
];

interface Troubled {
  readonly checks: readonly CheckJson[];
  readonly ended: Ended;
  readonly leaked: readonly string[];
  /** How many requests met the fault. */
  readonly met: number;
  readonly told: string;
}

/** A scaled launch against the honest service, through a proxy of faults. */
async function launchThrough({ fault, mayMeet, profile, share }: Trouble): Promise<Troubled> {
  const { baseUrl, keys } = await serve(['--rate-limit', '60/2s', '--plan', 'quota=15']);
  const { origin, pathname } = new URL(baseUrl);
  const roleOf = ({ headers }: IncomingMessage): string | undefined =>
    roles.find((role) => headers.authorization === `Bearer ${keys[role]}`);
  let count = 0;
  const proxy = await startFaultProxy({
    ...{ origin, fault, share, seed },
    // Whether there is a target at all is found out by the first request.
    mayMeet: (request) => count++ > 0 && (mayMeet?.(request, roleOf(request)) ?? true),
  });
  atEnd(() => proxy.close());
  const out = join(temporaryFolder(), 'run');
  const ended = await tryon(
    [
      ...['run', brief('launch-scaled'), '--target', proxy.origin + pathname, '--out', out],
      ...profileArguments({ ...patient, ...profile }),
      ...roles.flatMap((role) => ['--key', `${role}=${role.toUpperCase()}`]),
    ],
    { env: Object.fromEntries(roles.map((role) => [role.toUpperCase(), keys[role] ?? ''])) },
  );
  return {
    checks: readVerdicts(out).checks,
    ended,
    leaked: leaks(out, ended, Object.values(keys)),
    met: proxy.met(),
    told: `seed ${seed}\n${ended.stdout}${ended.stderr}`,
  };
}

/** What `npm test` tries: the faults that have the others in them. */
const together = /^all of that/;

/** About these a faulty network tells the truth. */
const ofTheNetwork = /^(contract\.availability$|latency\.)/;

describe.concurrent('an honest service is accused of nothing but silence and delay when', () => {
  it.each(rowsOf(troubles, ([sentence]) => together.test(sentence)))('%s', (_sentence, trouble) =>
    gate(async () => {
      const { checks, leaked, met, told } = await launchThrough(trouble);
      expect(met, told).toBeGreaterThan(3);
      const accusations = checks.filter(({ id, verdict }) => verdict === 'fail' && !ofTheNetwork.test(id));
      expect(
        accusations.map(({ explanation, id }) => `${id}: ${explanation}`),
        told,
      ).toEqual([]);
      expect(checks.filter(({ id }) => id.endsWith('.error'))).toEqual([]);
      // Doubt is where the faults are, and not everywhere.
      expect(checks.filter(({ verdict }) => verdict === 'pass').length, told).toBeGreaterThan(
        checks.length / 2,
      );
      const { doubtful = /^/ } = trouble;
      const doubts = checks.filter(
        ({ id, verdict }) => verdict === 'inconclusive' && !doubtful.test(id) && !ofTheNetwork.test(id),
      );
      expect(
        doubts.map(({ explanation, id }) => `${id}: ${explanation}`),
        told,
      ).toEqual([]);
      expect(leaked).toEqual([]);
    }),
  );
});

/**
 * Sessions without a grant are in the quota and in the analytics. From outside, the service and a proxy before it
 * cannot be told apart: the deployment fails, with probable causes and the profile setting for them. A proxy that
 * repeats a POST is at fault itself (RFC 9110, 9.2.2).
 */
