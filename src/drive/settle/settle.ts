import { z } from 'zod';
import type { Scenario } from '../../scenario/define.ts';
import * as calls from '../../target/calls.ts';
import type { Profile } from '../../target/profile.ts';
import { settlePhases } from '../../vocabulary/phases.ts';
import type { Probe } from '../../vocabulary/probes.ts';
import { parseAssurance, samplesFor } from '../../vocabulary/quantities.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';
import type { AnalyticsQuery } from '../../wire.ts';
import type { Question } from '../ask/ask.ts';
import { dayQuery } from '../clock/days.ts';
import { type FreshnessPlan, patienceMs } from '../load/freshness.ts';
import {
  noEvents,
  oneMoreSession,
  quotaAftermath,
  refusedAftermath,
  type SettleRun,
  unsoldProduct,
} from './aftermath.ts';

/** How often the first of the judged queries is asked in a row: replicas that take turns show what each of them has. */
const inARow = 3;

/** Each query is asked as soon as the load is over, and again when it has to be fresh. */
export const analyticsRounds = 2;

/** Queries that are asked again at the same moment. */
const askedTogether = 2;

/** Questions that are asked again; one of them with its parameters in the other order. */
export const rereads = inARow + askedTogether + 1;

/** Queries of a round beside one for each product. */
export const queriesBeside = 9;

/** Each period is queried for all products and for one. */
export const queriesPerPeriod = 2;

/** Long ago: nothing of the run can be in it. Over the end of a year and of months, and a leap day. */
const emptyPeriod = { from: '1999-12-31', to: '2000-02-29' };
/** Nor in these: backwards, and far ahead. */
const oddPeriods = [
  { from: emptyPeriod.to, to: emptyPeriod.from },
  { from: '2199-01-01', to: '2199-01-02' },
];
/** What the judged round asks once: these, and a product that has no sessions. */
export const queriesAskedOnce = oddPeriods.length + 1;

/**
 * Everything after the load: sessions read back, the effects of rejected requests, and analytics, asked and repeated.
 * `refusedProductId`: a product whose only session requests were meant to get a 429.
 */
export async function settle(run: SettleRun, refusedProductId?: string): Promise<void> {
  const { asker, asksAnalytics, clock, load, profile, quotaTried } = run;
  if (quotaTried && load.stopped === undefined) await oneMoreSession(run);
  if (quotaTried) await noEvents(run);
  const lastActNs = clock.nowNs();
  if (asksAnalytics) await analyticsRound(run, settlePhases.analyticsEarly);
  if (asksAnalytics && run.freshness !== undefined) await pollUntilFresh(run, run.freshness, lastActNs);
  if (asksAnalytics || quotaTried || refusedProductId !== undefined) {
    show(run, 'waiting until analytics have to be fresh');
    await asker.until(lastActNs + profile.analytics.freshness * 1e6);
  }
  // Not before: sessions may be read where what happened shows as late as it does in analytics.
  await readBack(run);
  if (quotaTried) await quotaAftermath(run);
  if (refusedProductId !== undefined) await refusedAftermath(run, refusedProductId);
  if (asksAnalytics) await analyticsRound(run, settlePhases.analytics);
  if (asksAnalytics) await analyticsByOthers(run);
}

function show({ progress }: SettleRun, step: string, done = 0, total = 1): void {
  progress.activity = { kind: 'settle', step, done, total };
}

/**
 * Polls from the last event until analytics have to be fresh, then until all sessions show and two answers agree, at
 * most for the patience. If sessions are still missing, it asks for each product once. What all products lack from
 * the same instant on is late, not lost.
 */
async function pollUntilFresh(
  options: SettleRun,
  { gapMs, productId }: FreshnessPlan,
  lastActNs: number,
): Promise<void> {
  const { asker, clock, statistics } = options;
  const freshnessMs = options.profile.analytics.freshness;
  const dueNs = lastActNs + freshnessMs * 1e6;
  const latestNs = lastActNs + patienceMs(freshnessMs) * 1e6;
  let before: string | undefined;
  for (;;) {
    show(options, 'polling analytics until they are complete');
    const { sessions, text } = await poll(options, productId);
    const isComplete = sessions === undefined || sessions >= statistics.counts.granted;
    const nowNs = clock.nowNs();
    if (nowNs >= dueNs && isComplete && text === before) return;
    if (nowNs >= latestNs && isComplete) return;
    if (nowNs >= latestNs) break;
    before = text;
    await asker.until(Math.min(nowNs + gapMs * 1e6, nowNs < dueNs ? dueNs : latestNs));
  }
  for (const { id } of options.catalogs.load.products) await poll(options, id);
}

/** The sessions that analytics show of a product, and the whole answer to tell whether it changes. */
async function poll(
  { asker, dateFormat, days }: SettleRun,
  productId: string,
): Promise<{ readonly sessions: number | undefined; readonly text: string }> {
  const query = dayQuery(days.wide(), dateFormat, productId);
  const { exchange } = await asker.ask({
    call: calls.analytics(query),
    stage: 'settle',
    phase: settlePhases.freshness,
    credential: 'load',
    keeps: true,
  });
  const body = exchange.json();
  const sessions = z.object({ total_sessions: z.number() }).safeParse(body);
  return { sessions: sessions.data?.total_sessions, text: JSON.stringify(body) ?? '' };
}

/** Sessions that are read at the same moment: each answer has to belong to its request. */
const readAtOnce = 4;

async function readBack(run: SettleRun): Promise<void> {
  const { asker, sample } = run;
  const ids = sample.toRead('load');
  const questions = ids.map(
    (sessionId): Question => ({
      call: calls.readSession(sessionId),
      stage: 'settle',
      phase: settlePhases.readBack,
      credential: 'load',
      keeps: true,
      known: { secrets: sample.secretsOf(sessionId) },
    }),
  );
  for (let at = 0; at < questions.length; at += readAtOnce) {
    show(run, 'reading sessions back', at, ids.length);
    await asker.askAtOnce(questions.slice(at, at + readAtOnce));
  }
}

/** Asks every query once: each product and all of them over the run's days, and periods that hold more and nothing. */
async function analyticsRound(options: SettleRun, phase: string): Promise<void> {
  const { days, dateFormat } = options;
  const [first, ...others] = options.catalogs.load.products.map((product) => product.id);
  const [exact, next, wide] = [days.exact(), days.sinceStart(), days.wide()];
  // Periods that have one end in common, in a row: an answer belongs to both its dates, and each end counts alike in all.
  const periods = [
    wide,
    { from: wide.from, to: wide.from },
    { from: wide.from, to: exact.to },
    next,
    { from: emptyPeriod.to, to: wide.to },
    emptyPeriod,
    // Tomorrow: empty unless the start of a period is ignored, or the target's days begin earlier.
    ...(days.endsToday ? [] : [{ from: next.to, to: next.to }]),
  ];
  const queries = [
    dayQuery(exact, dateFormat),
    ...(first === undefined ? [] : [dayQuery(exact, dateFormat, first)]),
    // Of the wide period, since the exact one holds nothing where the last day does not count: no answer would tell a product.
    ...others.map((id) => dayQuery(wide, dateFormat, id)),
    // Asked before the load, and then not before it has to be right: what an answer prepares for the next one is old.
    ...(phase === settlePhases.analytics ? [dayQuery(wide, dateFormat)] : []),
    ...(first === undefined ? [] : periods.map((period) => dayQuery(period, dateFormat, first))),
  ];
  if (phase === settlePhases.analytics)
    queries.push(
      dayQuery(wide, dateFormat, unsoldProduct(options)),
      ...(first === undefined ? [] : oddPeriods.map((period) => dayQuery(period, dateFormat, first))),
    );
  // Each day, week and month of a run that touches several days, of which a day can only be told once it is over.
  if (phase === settlePhases.analytics)
    for (const period of days.periods()) {
      queries.push(dayQuery(period, dateFormat));
      if (first !== undefined) queries.push(dayQuery(period, dateFormat, first));
    }
  // The same question again, with nothing in between: whether answers hold still can be seen in the judged round itself.
  const [whole] = queries;
  if (phase === settlePhases.analytics && whole !== undefined)
    queries.push(...new Array<typeof whole>(inARow).fill(whole));
  const question = (query: AnalyticsQuery, call = calls.analytics(query)): Question => ({
    call,
    stage: 'settle',
    phase,
    credential: 'load',
    probe: probeOf(options, query),
    keeps: true,
  });
  for (const [index, query] of queries.entries()) {
    show(options, 'querying analytics', index, queries.length);
    await options.asker.ask(question(query));
  }
  const withSessions: readonly AnalyticsQuery[] =
    first === undefined ? [] : [dayQuery(wide, dateFormat), dayQuery(wide, dateFormat, first)];
  // Of a period that holds sessions wherever days begin.
  if (phase !== settlePhases.analytics) return;
  // At the same moment, each answer belongs to its own question.
  await options.asker.askAtOnce(withSessions.map((query) => question(query)));
  // The order of parameters has no meaning.
  for (const query of withSessions.slice(-1)) {
    const reversed = Object.fromEntries(Object.entries(query).toReversed());
    await options.asker.ask(question(query, calls.analytics(reversed)));
  }
}

/**
 * The keys that are asked for the load key's sessions: the run's other keys, and the bystander's if the interface's
 * promises are checked. `used`: keys with imported catalogs; `given`: keys that exist.
 */
export function otherKeysOf(used: readonly Role[], given: readonly Role[], probes: boolean): Role[] {
  if (!used.includes('load')) return [];
  return given.filter((role) => role !== 'load' && (used.includes(role) || (probes && role === 'bystander')));
}

/**
 * Asks for a product of the load key with other keys. The run made the products' ids, so no other traffic shows.
 * And asks the quota key and the bystander's for all products.
 */
async function analyticsByOthers(run: SettleRun): Promise<void> {
  const { asker, catalogs, dateFormat, days, keys, scenario } = run;
  const ownKeys = roles.filter((role) => keys[role] !== undefined);
  const otherKeys = otherKeysOf(run.roles, ownKeys, scenario.probes);
  const productId = catalogs.load.products[0]?.id;
  if (productId === undefined) return;
  const query = dayQuery(days.wide(), dateFormat, productId);
  const common = { stage: 'settle', phase: settlePhases.analytics, keeps: true } as const;
  for (const credential of otherKeys)
    await asker.ask({ ...common, call: calls.analytics(query), credential, probe: 'tenancy:analytics' });
  // All that the account has since today: sessions that were refused for the quota are in none of it, nor are those of others.
  for (const credential of otherKeys.filter((role) => askedForAll.has(role)))
    await asker.ask({
      ...common,
      call: calls.analytics(dayQuery(days.sinceStart(), dateFormat)),
      credential,
    });
}

/** The keys that are asked for all products, too. */
const askedForAll: ReadonlySet<Role> = new Set(['quota', 'bystander']);

/** Questions of `analyticsByOthers`. */
export function questionsByOthers(otherKeys: readonly Role[]): number {
  return otherKeys.length + otherKeys.filter((role) => askedForAll.has(role)).length;
}

/** Questions that may also get a 4xx: the interface does not say. */
function probeOf(
  run: SettleRun,
  { end_date, product_id, start_date }: ReturnType<typeof dayQuery>,
): Probe | undefined {
  const { days } = run;
  if (end_date < days.exact().from || start_date > days.wide().to) return 'empty-period';
  if (start_date < emptyPeriod.to || start_date.startsWith(emptyPeriod.to)) return 'long-period';
  return product_id === unsoldProduct(run) ? 'unsold-product' : undefined;
}

/**
 * How many sessions are drawn to be read back: as many as the scenario says, or as the profile's assurance takes. A
 * scenario that reads none back has none to read.
 */
export function readBackOf({ settle }: Scenario, { assurance }: Profile): number {
  if (assurance === undefined || settle.readBack === 0) return settle.readBack;
  return Math.max(settle.readBack, samplesFor(parseAssurance(assurance)));
}
