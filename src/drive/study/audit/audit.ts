import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Catalog } from '../../../scenario/catalog/catalog.ts';
import type { AuditStudy } from '../../../scenario/study.ts';
import * as calls from '../../../target/calls.ts';
import type { Channel, Profile } from '../../../target/profile.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import type { Probe } from '../../../vocabulary/probes.ts';
import type { Asker, Reply } from '../../ask/ask.ts';
import { fastestPerSecond, share } from '../../ask/governor.ts';
import { type Clock, epochMs } from '../../clock/clock.ts';
import type { DateFormat, Days } from '../../clock/days.ts';
import {
  type AuditQuestion,
  type AuditScope,
  everyOrder,
  oddDates,
  repeated,
  roundOf,
  variedOf,
} from './audit-questions.ts';

interface AuditOptions {
  readonly study: AuditStudy;
  readonly asker: Asker;
  readonly clock: Clock;
  readonly days: Days;
  readonly dateFormat: DateFormat;
  readonly profile: Profile;
  readonly channel: Channel | undefined;
  readonly tag: string;
  readonly catalog: Catalog;
  /** Whether the catalog has been imported, and sessions of its products may have been opened. */
  readonly isSetUp: boolean;
  readonly onStep: (step: string) => void;
}

/** Products that an audit asks for at most. */
const mostProducts = 50;
/**
 * In an account with few sessions, one more shows nothing of how averages are weighted. With two of another product and
 * without events before it, an average over products is another than one over sessions.
 */
const plainSessions = 2;
const fewSessions = z.object({ total_sessions: z.number().max(3) });
/** Rests of an audit: after set-up, after its session, and before and after the repeated questions. */
const rests = 4;

/** Sessions that an audit opens at most. */
export const sessionsOfAudit = ({ canary }: AuditStudy): number => (canary ? 1 + plainSessions : 0);

/** Requests of an audit at most: every question, its sessions, and the two events of one, which may come alone. */
export function requestsOfAudit(study: AuditStudy): number {
  const scope: AuditScope = {
    ...{ today: '2026-01-01', days: study.days, format: 'date', unknownProduct: 'unknown' },
    products: Array.from({ length: mostProducts }, (_, place) => `product ${place}`),
    ownProduct: study.canary ? 'own' : undefined,
  };
  const varied = variedOf(scope);
  return (
    oddDates(scope).length +
    2 * roundOf(scope).length +
    repeated(varied).length +
    everyOrder(varied).length +
    (study.canary ? 1 + ownQuestions(scope).length + sessionsOfAudit(study) + 2 : 0)
  );
}

/** How long an audit takes, as far as can be told. */
export function msOfAudit(study: AuditStudy, { analytics, rate_limit }: Profile): number {
  const requests = requestsOfAudit(study);
  const pacedMs = Math.max(
    (requests / fastestPerSecond) * 1e3,
    (requests / (share * rate_limit.requests)) * rate_limit.windowMs,
  );
  return Math.min(study.budgetMs, pacedMs + rests * analytics.freshness);
}

/** The budget of the audit is spent. */
class TimeSpent extends Error {}

/**
 * Asks analytics the questions whose answers can be compared. It rests between rounds as long as analytics may lag,
 * so no answer is older than those of the round before. It stays under the rate limit.
 */
export async function auditAnalytics(options: AuditOptions): Promise<void> {
  const { asker, catalog, channel, clock, isSetUp, onStep, profile, study, tag } = options;
  const [sold] = catalog.products;
  const products = [
    ...(isSetUp ? catalog.products.map(({ id }) => id) : []),
    ...profile.analytics.products,
    ...study.products,
  ];
  const ownProduct = study.canary ? `tryon-${tag}-audit` : undefined;
  const scope: AuditScope = {
    ...{ today: options.days.exact().to, days: study.days, format: options.dateFormat, ownProduct },
    products: [...new Set(products)].slice(0, mostProducts),
    // Not that of the contract probes: a target that puts malformed requests right has sessions of it.
    unknownProduct: `tryon-${tag}-audit-unknown`,
  };
  const startNs = clock.nowNs();
  const deadlineNs = startNs + study.budgetMs * 1e6;
  const freshNs = profile.analytics.freshness * 1e6;
  const by = { stage: 'study', credential: 'load' } as const;

  const ask = async (phase: string, questions: readonly AuditQuestion[]): Promise<Reply[]> => {
    const replies: Reply[] = [];
    for (const [place, { probe, query }] of questions.entries()) {
      if (clock.nowNs() > deadlineNs) throw new TimeSpent();
      onStep(`${phase}, ${place + 1} of ${questions.length}`);
      replies.push(await asker.ask({ ...by, call: calls.analytics(query), phase, probe, keeps: true }));
    }
    return replies;
  };
  /** Rests until all events before `sinceNs` must be in every answer. */
  const rest = async (sinceNs = clock.nowNs()): Promise<void> => {
    if (sinceNs + freshNs > deadlineNs) throw new TimeSpent();
    onStep('audit: resting until answers have to be fresh');
    await asker.until(sinceNs + freshNs);
  };
  const create = (product_id: string, phase: string, probe?: Probe): Promise<Reply> => {
    const body = { product_id, catalog_id: catalog.id, locale: catalog.locale };
    return asker.ask({ ...by, call: calls.createSession(body), phase, probe });
  };
  /** Opens sessions without events in an account with few sessions. Whether it did. */
  const fill = async (): Promise<boolean> => {
    if (!isSetUp || ownProduct === undefined || sold === undefined) return false;
    const [reply] = await ask(studyPhases.auditDates, roundOf(scope).slice(0, 1));
    if (!fewSessions.safeParse(reply?.exchange.json()).success) return false;
    for (let n = 0; n < plainSessions; n++) await create(sold.id, studyPhases.auditDates);
    return true;
  };
  /** One session in which one shade is tried and a cart intent shown, if there is a channel for that. */
  const open = async (productId: string): Promise<void> => {
    const phase = studyPhases.auditSession;
    onStep(phase);
    const { reading } = await create(productId, phase, 'audit:session');
    const sku = sold?.shades[0]?.sku;
    if (reading.grant === undefined || channel === undefined || sku === undefined) return;
    const { session_id: sessionId, token } = reading.grant;
    const at = new Date(epochMs(clock, clock.nowNs())).toISOString();
    const types = ['shade_selected', 'cart_intent'] as const;
    const events = types.map((type) => ({ id: randomUUID(), type, sku, at }));
    for (const interactions of channel.most_events === 1 ? events.map((event) => [event]) : [events])
      await asker.askOnChannel(channel, token, {
        ...by,
        call: calls.interact(channel, sessionId, { interactions }),
        ...{ phase, probe: 'audit:acts', known: { secrets: [token] } },
      });
  };
  /** Repeats a few questions, unless that would leave no time for the last round: nearly every check needs that one. */
  const repeat = async (round: readonly AuditQuestion[], requestNs: number): Promise<void> => {
    const varied = variedOf(scope);
    const [again, mixed] = [repeated(varied), everyOrder(varied)];
    const needNs = (again.length + mixed.length + round.length) * requestNs + freshNs;
    if (clock.nowNs() + needNs > deadlineNs) return;
    await ask(studyPhases.auditReread, again);
    await ask(studyPhases.auditOrder, mixed);
    await rest();
  };

  try {
    const round = roundOf(scope);
    await ask(studyPhases.auditDates, oddDates(scope));
    const isFilled = await fill();
    if (isSetUp) await rest(isFilled ? clock.nowNs() : startNs);
    if (ownProduct !== undefined) {
      await ask(studyPhases.auditBefore, ownQuestions(scope));
      await open(ownProduct);
      await rest();
    }
    const roundNs = clock.nowNs();
    await ask(studyPhases.auditFirst, round);
    const requestNs = (clock.nowNs() - roundNs) / round.length;
    await rest();
    await repeat(round, requestNs);
    await ask(studyPhases.auditLast, round.toReversed());
  } catch (error) {
    // Questions that were not asked are not judged; their checks say so.
    if (!(error instanceof TimeSpent)) throw error;
  }
}

/** The questions before an audit's session: all that are about its product, or about none. */
function ownQuestions(scope: AuditScope): AuditQuestion[] {
  return roundOf(scope).filter(
    ({ probe, query: { product_id } }) =>
      probe === undefined && (product_id === undefined || product_id === scope.ownProduct),
  );
}
