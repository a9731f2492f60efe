import { Governor } from '../../../src/drive/ask/governor.ts';
import { SessionSample } from '../../../src/drive/ask/sample.ts';
import { Days, dayQuery } from '../../../src/drive/clock/days.ts';
import { KillSwitch } from '../../../src/drive/record/ending.ts';
import { Recorder } from '../../../src/drive/record/recorder.ts';
import { LiveStatistics } from '../../../src/drive/record/statistics.ts';
import { studyLimiter } from '../../../src/drive/study/limits/limits.ts';
import { refusedProductId, scopeTries } from '../../../src/drive/study/limits/scope-tries.ts';
import { studyQuota } from '../../../src/drive/study/quota/quota.ts';
import { Prober } from '../../../src/drive/study/sending/prober.ts';
import { Seen } from '../../../src/drive/study/sending/seen.ts';
import type { AnswerRecord, RequestRecord } from '../../../src/history/record.ts';
import { inferLimiter } from '../../../src/limits/infer.ts';
import { type Random, randomStream } from '../../../src/random.ts';
import { generateCatalog } from '../../../src/scenario/catalog/generate.ts';
import * as calls from '../../../src/target/calls.ts';
import { type Connections, TargetClient } from '../../../src/target/client.ts';
import {
  interactionsCount,
  type ProfileInput,
  profileSchema,
  usualChannel,
} from '../../../src/target/profile.ts';
import { eachRole, type Role, roles } from '../../../src/vocabulary/roles.ts';
import { type SampleHistory, sampleRun } from '../../history/sample.ts';
import { SharedClock } from '../virtual.ts';

/** What a request looks like to the service. */
export interface Arrival {
  readonly role: Role | undefined;
  readonly authorization: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly elsewhere: boolean;
  /** Over a connection that was opened for it. */
  readonly isNew: boolean;
  readonly forwardedFor: string | undefined;
  /** By the newer header (RFC 7239). */
  readonly forwarded: string | undefined;
  readonly atMs: number;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long it takes beside the way there and back. */
  readonly delayMs?: number;
}

/** A service as the study sees it; called in order of arrival. */
export type VirtualService = (arrival: Arrival) => Answer;

const oneWayMs = 1.5;

/** Connections to a service, each way of them a little slower or faster than the last. */
export function dispatcher(
  clock: SharedClock,
  service: VirtualService,
  random: Random,
  from: { readonly elsewhere: boolean; readonly isNew: boolean },
): Connections {
  return {
    dispatch: (options, handler) => {
      const sentNs = clock.nowNs();
      handler.onSent();
      const role = roles.find((each) => options.authorization === `Bearer key-${each}`);
      clock.at(sentNs + oneWayMs * (0.5 + random()) * 1e6, () => {
        const answer = service({
          role,
          authorization: options.authorization,
          method: options.method,
          path: options.path,
          body: String(options.body ?? ''),
          ...from,
          forwardedFor: options.headers['x-forwarded-for'],
          forwarded: options.headers.forwarded,
          atMs: clock.nowNs() / 1e6,
        });
        const epochMs = clock.zeroEpochMs + clock.nowNs() / 1e6;
        const date = new Date(Math.floor(epochMs / 1e3) * 1e3).toUTCString();
        const doneNs = clock.nowNs() + ((answer.delayMs ?? 0) + oneWayMs * (0.5 + random())) * 1e6;
        clock.at(doneNs, () => {
          handler.onHead(answer.status, { date, 'content-type': 'application/json', ...answer.headers });
          handler.onData(Buffer.from(JSON.stringify(answer.body ?? {})));
          handler.onEnd();
        });
      });
    },
    destroy: () => Promise.resolve(),
  };
}

export interface StudyWorld {
  readonly service: VirtualService;
  readonly profile?: ProfileInput;
  readonly seed?: number;
  /** A service that was there before the run, and that others may use. */
  readonly isForeign?: boolean;
  /** Roles that have keys. */
  readonly roles?: readonly Role[];
  /** Roles that are given the key of another. */
  readonly sameKeys?: Partial<Readonly<Record<Role, Role>>>;
  /** Further keys. */
  readonly pool?: readonly string[];
  readonly study:
    | { readonly kind: 'limits'; readonly budgetMs: number; readonly otherKeysPerSecond?: number }
    | { readonly kind: 'quota'; readonly race: number };
}

/** Plays a study against a service in virtual time. Gives the history of it, for checks to judge, and what was said of it. */
export async function playStudy(
  world: StudyWorld,
): Promise<{ readonly sample: SampleHistory; readonly alive: readonly string[]; readonly tookMs: number }> {
  const profileInput: ProfileInput = { rate_limit: '40/4s', ...world.profile };
  const profile = profileSchema.parse(profileInput);
  const seed = world.seed ?? 1;
  const clock = new SharedClock();
  const requests: RequestRecord[] = [];
  const answers: AnswerRecord[] = [];
  const seen = new Seen(
    {
      request: (record) => requests.push(record),
      interaction: () => undefined,
      answer: (record) => answers.push(record),
    },
    profile.rate_limit.windowMs,
  );
  const keyed = world.roles ?? roles;
  const keyOf = (role: Role): Role => world.sameKeys?.[role] ?? role;
  const keys = Object.fromEntries(keyed.map((role) => [role, { value: `key-${keyOf(role)}`, from: 'test' }]));
  const random = randomStream(seed, 'network');
  const client = (elsewhere: boolean, isNew = false): TargetClient =>
    new TargetClient(
      new URL('http://127.0.0.1:1/v1'),
      dispatcher(clock, world.service, random, { elsewhere, isNew }),
      clock.nowNs,
      undefined,
    );
  const recorder = new Recorder({ writer: seen, profile, secrets: [], statistics: new LiveStatistics() });
  const sample = new SessionSample(10, randomStream(seed, 'sample'));
  const killSwitch = new KillSwitch();
  const prober = new Prober({
    clock,
    client: client(false),
    elsewhere: client(true),
    openClient: () => client(false, true),
    recorder,
    sample,
    keys,
    governors: eachRole(() => new Governor(clock, profile.rate_limit)),
    assertGoingOn: () => undefined,
    noteEnd: (atNs, failed) => killSwitch.note(atNs, failed),
    mostSessions: Number.POSITIVE_INFINITY,
    inFlightBound: profile.in_flight,
  });
  const catalogs = eachRole((role) => generateCatalog({ seed: 1, tag: `t${role}`, products: 1 }));
  let alive: readonly string[] = [];
  const days = new Days(clock.zeroEpochMs, () => clock.zeroEpochMs + clock.nowNs() / 1e6);
  const { study } = world;
  await clock.play(
    study.kind === 'quota'
      ? studyQuota({
          prober,
          clock,
          keys,
          catalogs,
          tag: 'tag',
          profile,
          opened: (role) => sample.countOf(role),
          cap: 60,
          race: study.race,
          onStep: () => undefined,
        })
      : studyLimiter({
          prober,
          seen,
          infer: async (traces, hints) => inferLimiter(traces, hints),
          clock,
          random: randomStream(seed, 'study'),
          promised: profile.rate_limit,
          clockSkewMs: profile.clock_skew_bound,
          keys,
          pool: world.pool ?? [],
          otherKeysPerSecond: study.otherKeysPerSecond,
          catalogs,
          tries: scopeTries({
            catalog: catalogs.load,
            otherCatalog: catalogs.bystander,
            tag: 'tag',
            keys,
            days,
            dateFormat: 'date',
            session: { session_id: 'a-session', token: 'a-token', expires_at: '', shade_count: 1 },
            channel: usualChannel,
            nowEpochMs: () => clock.zeroEpochMs + clock.nowNs() / 1e6,
            hasElsewhere: true,
          }),
          interactionsCount: interactionsCount(profile.channel),
          isFresh: world.isForeign !== true,
          deadlineNs: study.budgetMs * 1e6,
          mostRequests: 100_000,
          onStep: (_, left) => {
            alive = left;
          },
        }),
  );
  const tookMs = clock.nowNs() / 1e6;
  // As settling does, which waits until the key is admitted again.
  await clock.play(clock.until(clock.nowNs() + profile.rate_limit.windowMs * 1e6));
  const query = dayQuery(days.wide(), 'date', refusedProductId('tag'));
  await clock.play(
    prober.send({
      call: calls.analytics(query),
      credential: 'load',
      phase: 'settle',
      probe: 'refused:analytics',
      known: { keepAnswer: { ...query } },
    }),
  );
  return {
    alive,
    tookMs,
    sample: {
      profile: profileInput,
      requests,
      answers,
      run: {
        zero_epoch_ms: clock.zeroEpochMs,
        target: { ...sampleRun.target, kind: world.isForeign === true ? 'foreign' : 'embedded' },
        keys: Object.fromEntries(keyed.map((role) => [role, { from: 'test', fingerprint: keyOf(role) }])),
        studies: [{ kind: study.kind, budget_ms: 1 }],
        quota_attempts: study.kind === 'quota' ? 100 : 0,
      },
    },
  };
}
