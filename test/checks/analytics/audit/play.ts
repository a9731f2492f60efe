import type { CheckResult } from '../../../../src/checks/core/verdict.ts';
import { judge } from '../../../../src/checks/judge.ts';
import { Asker } from '../../../../src/drive/ask/ask.ts';
import { Governor } from '../../../../src/drive/ask/governor.ts';
import type { Clock } from '../../../../src/drive/clock/clock.ts';
import { type DateFormat, Days } from '../../../../src/drive/clock/days.ts';
import { Recorder } from '../../../../src/drive/record/recorder.ts';
import { LiveStatistics } from '../../../../src/drive/record/statistics.ts';
import { auditAnalytics } from '../../../../src/drive/study/audit/audit.ts';
import type { AnswerRecord, InteractionRecord, RequestRecord } from '../../../../src/history/record.ts';
import { auditAnalytics as auditStudy } from '../../../../src/scenario/study.ts';
import { type Connections, TargetClient } from '../../../../src/target/client.ts';
import { type ProfileInput, profileSchema, usualChannel } from '../../../../src/target/profile.ts';
import { eachRole } from '../../../../src/vocabulary/roles.ts';
import type { SessionAnalytics } from '../../../../src/wire.ts';
import { catalog } from '../../../drive/virtual.ts';
import { withHistory } from '../../../history/sample.ts';
import {
  type AccountAct,
  type AccountQuery,
  type AccountSession,
  type Conventions,
  plain,
  reportOn,
} from './account.ts';

/** An audit played in virtual time: the real driver against an account of the test's. */
export interface Played {
  readonly requests: readonly RequestRecord[];
  readonly answers: readonly AnswerRecord[];
  readonly interactions: readonly InteractionRecord[];
  readonly profile: ProfileInput;
  readonly zeroMs: number;
  /** Virtual milliseconds that it took. */
  readonly tookMs: number;
}

/** What becomes of a question: its answer, another one, or just a status. */
export type Spoil = (
  honest: SessionAnalytics,
  asked: {
    readonly query: AccountQuery;
    /** Questions before this one, and those before it with the same words. */
    readonly count: number;
    readonly times: number;
    readonly ask: (query: AccountQuery, conventions?: Partial<Conventions>) => SessionAnalytics;
  },
) => SessionAnalytics | number;

export interface PlayOptions {
  readonly sessions: readonly AccountSession[];
  readonly conventions?: Partial<Conventions>;
  readonly profile?: NonNullable<ProfileInput['analytics']>;
  readonly study?: Parameters<typeof auditStudy>[0];
  readonly spoil?: Spoil;
  /** How old what an answer shows may be, ms; asked for each. */
  readonly lagMs?: () => number;
  readonly format?: DateFormat;
  readonly channel?: boolean;
  /** What becomes of the request for the audit's session, or for its acts. */
  readonly lose?: 'session' | 'acts';
  /** The status of questions with dates that are none. */
  readonly malformed?: number | ((query: AccountQuery) => number);
  /** How often a request for a session is delivered again, and how often the profile says that it may be. */
  readonly redelivered?: number;
  readonly redeliveries?: number;
  readonly zeroMs?: number;
  readonly rateLimit?: string;
  readonly isSetUp?: boolean;
}

export const noon = Date.UTC(2026, 4, 20, 12);
export const freshnessMs = 1_000;
const latencyMs = 10;
const statistics = new LiveStatistics();

/** A clock that jumps to where it is awaited. */
class JumpingClock implements Clock {
  readonly zeroEpochMs: number;
  #nowNs = 0;

  constructor(zeroEpochMs: number) {
    this.zeroEpochMs = zeroEpochMs;
  }

  nowNs = (): number => this.#nowNs;

  until(ns: number): Promise<void> {
    this.#nowNs = Math.max(this.#nowNs, ns);
    return Promise.resolve();
  }
}

export async function playAudit(options: PlayOptions): Promise<Played> {
  const zeroMs = options.zeroMs ?? noon;
  const clock = new JumpingClock(zeroMs);
  const given: ProfileInput = {
    rate_limit: options.rateLimit ?? '1000/1m',
    redeliveries: options.redeliveries ?? 0,
    analytics: { freshness: freshnessMs, ...options.profile },
  };
  const profile = profileSchema.parse(given);
  const requests: RequestRecord[] = [];
  const answers: AnswerRecord[] = [];
  const interactions: InteractionRecord[] = [];
  const sink = {
    request: (record: RequestRecord) => requests.push(record),
    answer: (record: AnswerRecord) => answers.push(record),
    interaction: (record: InteractionRecord) => interactions.push(record),
  };
  const asker = new Asker({
    clock,
    client: new TargetClient(
      new URL('http://127.0.0.1:1/v1'),
      target(options, clock),
      clock.nowNs,
      undefined,
    ),
    recorder: new Recorder({ writer: sink, profile, secrets: [], statistics }),
    keys: { load: { value: 'secret-load-key', from: 'test' } },
    governors: eachRole(() => new Governor(clock, profile.rate_limit)),
    windowMs: profile.rate_limit.windowMs,
    mayAsk: () => true,
  });
  await auditAnalytics({
    study: auditStudy({ days: 4, ...options.study }),
    asker,
    clock,
    days: new Days(zeroMs, () => zeroMs + clock.nowNs() / 1e6),
    dateFormat: options.format ?? 'date',
    profile,
    channel: options.channel === false ? undefined : usualChannel,
    tag: 'test',
    catalog,
    isSetUp: options.isSetUp ?? true,
    onStep: () => undefined,
  });
  return { requests, answers, interactions, profile: given, zeroMs, tookMs: clock.nowNs() / 1e6 };
}

function target(options: PlayOptions, clock: JumpingClock): Connections {
  const conventions = { ...plain, ...options.conventions };
  const own: { product: string; createdMs: number; acts: (AccountAct & { id: string })[] }[] = [];
  const asked = new Map<string, number>();
  let count = 0;
  const analytics = (path: string, nowMs: number): { readonly status: number; readonly body?: unknown } => {
    const query = Object.fromEntries(
      new URL(path, 'http://127.0.0.1').searchParams,
    ) as unknown as AccountQuery;
    const [fromMs, toMs] = [query.start_date, query.end_date].map((text) =>
      datePattern.test(text ?? '') ? Date.parse(text) : Number.NaN,
    );
    if (
      fromMs === undefined ||
      toMs === undefined ||
      Number.isNaN(fromMs) ||
      Number.isNaN(toMs) ||
      isFebruary30(query)
    )
      return {
        status:
          typeof options.malformed === 'function' ? options.malformed(query) : (options.malformed ?? 422),
      };
    const ask = (other: AccountQuery, changed: Partial<Conventions> = {}): SessionAnalytics =>
      reportOn(
        [...options.sessions, ...own],
        other,
        { ...conventions, ...changed },
        nowMs - (options.lagMs?.() ?? 0),
      );
    const times = asked.get(path) ?? 0;
    asked.set(path, times + 1);
    const body = (options.spoil ?? ((honest) => honest))(ask(query), { query, count: count++, times, ask });
    return typeof body === 'number' ? { status: body } : { status: 200, body };
  };
  return {
    dispatch(request, handler) {
      handler.onSent();
      void clock.until(clock.nowNs() + (latencyMs / 2) * 1e6);
      const nowMs = clock.zeroEpochMs + clock.nowNs() / 1e6;
      const body = JSON.parse(typeof request.body === 'string' ? request.body : '{}');
      let answer: { readonly status: number; readonly body?: unknown } | undefined;
      if (request.method === 'GET') answer = analytics(request.path, nowMs);
      else if (request.path.endsWith('/interactions')) {
        if (options.lose !== 'acts') answer = { status: 202, body: { accepted: 2 } };
        const acts = own.at(-1)?.acts;
        for (const act of body.interactions)
          if (acts?.every(({ id }) => id !== act.id) === true) acts.push({ ...act, atMs: nowMs });
      } else {
        for (let n = 0; n <= (options.redelivered ?? 0); n++)
          own.push({ product: body.product_id, createdMs: nowMs, acts: [] });
        const grant = {
          session_id: `s${own.length}`,
          token: 'secret-token',
          expires_at: '2026-05-20T13:00:00Z',
          shade_count: 3,
        };
        if (options.lose !== 'session') answer = { status: 200, body: grant };
      }
      void clock.until(clock.nowNs() + (latencyMs / 2) * 1e6);
      if (answer === undefined) handler.onError(new Error('reset'));
      else {
        handler.onHead(answer.status, { 'content-type': 'application/json' });
        if (answer.body !== undefined) handler.onData(Buffer.from(JSON.stringify(answer.body)));
        handler.onEnd();
      }
    },
    destroy: () => Promise.resolve(),
  };
}

const datePattern = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z)?$/;

/** A day that Date.parse takes for one in March. */
function isFebruary30({ start_date }: AccountQuery): boolean {
  return start_date.startsWith('2026-02-30');
}

/** The verdicts on an audit, from its history on disk. */
export async function judged(options: PlayOptions): Promise<Map<string, CheckResult>> {
  const { answers, interactions, profile, requests, zeroMs } = await playAudit(options);
  const run = {
    zero_epoch_ms: zeroMs,
    checks: ['analytics' as const],
    studies: [{ kind: 'audit' as const, budget_ms: 300_000 }],
  };
  const { checks } = await withHistory({ run, profile, requests, answers, interactions }, judge);
  return new Map(checks.flatMap((check) => (check.id.startsWith('analytics.') ? [[check.id, check]] : [])));
}

const dayMs = 86_400_000;

/** Two dozen sessions of three days and two products, one of them tried on more, with bounces, ties and shades tried again. */
export const shop: readonly AccountSession[] = Array.from({ length: 24 }, (_, n) => {
  const createdMs = noon - (n % 3) * dayMs - n * 60_000;
  const product = n % 3 === 1 ? 'other' : 'told';
  const acts = Array.from(
    { length: product === 'other' ? 2 + (n % 4) : n % 3 },
    (_unused, k): AccountAct => ({
      type: 'shade_selected',
      sku: 'ABCDE'.charAt((n + k * (n % 2)) % 5),
      atMs: createdMs + k * 1_000,
    }),
  );
  const cart: AccountAct[] = n % 4 === 1 ? [{ type: 'cart_intent', sku: 'A', atMs: createdMs + 9_000 }] : [];
  return { product, createdMs, acts: [...acts, ...cart] };
});
