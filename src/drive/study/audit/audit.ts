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
  const products = Array.from({ length: mostProducts }, (_, place) => `product ${place}`);
  const scope: AuditScope = {
    today: '2026-01-01',
    days: study.days,
    format: 'date',
    products,
    unknownProduct: 'unknown',
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

/**
 * Asks analytics the questions whose answers can be compared. It rests between rounds as long as analytics may lag,
 * so no answer is older than those of the round before. It stays under the rate limit.
 */
export async function auditAnalytics(options: AuditOptions): Promise<void> {
  const { clock, days, dateFormat, profile, study, tag } = options;
  const products = [
    ...(options.isSetUp ? options.catalog.products.map(({ id }) => id) : []),
    ...profile.analytics.products,
    ...study.products,
  ];
  const scope: AuditScope = {
    today: days.exact().to,
    days: study.days,
    format: dateFormat,
    products: [...new Set(products)].slice(0, mostProducts),
    // Not that of the contract probes: a target that puts malformed requests right has sessions of it.
    unknownProduct: `tryon-${tag}-audit-unknown`,
    ownProduct: study.canary ? `tryon-${tag}-audit` : undefined,
  };
  const deadlineNs = clock.nowNs() + study.budgetMs * 1e6;
  try {
    await new AuditConductor(options, scope, deadlineNs).run();
  } catch (error) {
    // Questions that were not asked are not judged; their checks say so.
    if (!(error instanceof TimeSpent)) throw error;
  }
}

/** The budget of the audit is spent. */
class TimeSpent extends Error {}

class AuditConductor {
  readonly #options: AuditOptions;
  readonly #scope: AuditScope;
  readonly #deadlineNs: number;

  constructor(options: AuditOptions, scope: AuditScope, deadlineNs: number) {
    this.#options = options;
    this.#scope = scope;
    this.#deadlineNs = deadlineNs;
  }

  async run(): Promise<void> {
    const scope = this.#scope;
    const round = roundOf(scope);
    const { clock, isSetUp } = this.#options;
    const startNs = clock.nowNs();
    await this.#ask(studyPhases.auditDates, oddDates(scope));
    const isFilled = await this.#fill();
    if (isSetUp) await this.#rest(isFilled ? clock.nowNs() : startNs);
    if (scope.ownProduct !== undefined) {
      await this.#ask(studyPhases.auditBefore, ownQuestions(scope));
      await this.#session(scope.ownProduct);
      await this.#rest();
    }
    const roundNs = clock.nowNs();
    await this.#ask(studyPhases.auditFirst, round);
    const requestNs = (clock.nowNs() - roundNs) / round.length;
    await this.#rest();
    await this.#repeat(round, requestNs);
    await this.#ask(studyPhases.auditLast, round.toReversed());
  }

  /** Repeats a few questions, unless that would leave no time for the last round: nearly every check needs that one. */
  async #repeat(round: readonly AuditQuestion[], requestNs: number): Promise<void> {
    const { clock, profile } = this.#options;
    const varied = variedOf(this.#scope);
    const [again, mixed] = [repeated(varied), everyOrder(varied)];
    const restNs = profile.analytics.freshness * 1e6;
    const needNs = (again.length + mixed.length + round.length) * requestNs + restNs;
    if (clock.nowNs() + needNs > this.#deadlineNs) return;
    await this.#ask(studyPhases.auditReread, again);
    await this.#ask(studyPhases.auditOrder, mixed);
    await this.#rest();
  }

  async #ask(phase: string, questions: readonly AuditQuestion[]): Promise<Reply[]> {
    const { asker, clock, onStep } = this.#options;
    const replies: Reply[] = [];
    for (const [place, { probe, query }] of questions.entries()) {
      if (clock.nowNs() > this.#deadlineNs) throw new TimeSpent();
      onStep(`${phase}, ${place + 1} of ${questions.length}`);
      const call = calls.analytics(query);
      replies.push(await asker.ask({ call, stage: 'study', phase, credential: 'load', probe, keeps: true }));
    }
    return replies;
  }

  /** Opens sessions without events in an account with few sessions. Whether it did. */
  async #fill(): Promise<boolean> {
    const [product] = this.#options.catalog.products;
    if (!this.#options.isSetUp || this.#scope.ownProduct === undefined || product === undefined) return false;
    const [reply] = await this.#ask(studyPhases.auditDates, roundOf(this.#scope).slice(0, 1));
    if (!fewSessions.safeParse(reply?.exchange.json()).success) return false;
    for (let n = 0; n < plainSessions; n++) await this.#create(product.id, studyPhases.auditDates);
    return true;
  }

  #create(productId: string, phase: string, probe?: Probe): Promise<Reply> {
    const { asker, catalog } = this.#options;
    const body = { product_id: productId, catalog_id: catalog.id, locale: catalog.locale };
    return asker.ask({ call: calls.createSession(body), stage: 'study', phase, credential: 'load', probe });
  }

  /** Rests until all events before `sinceNs` must be in every answer. */
  async #rest(sinceNs = this.#options.clock.nowNs()): Promise<void> {
    const { asker, onStep, profile } = this.#options;
    const untilNs = sinceNs + profile.analytics.freshness * 1e6;
    if (untilNs > this.#deadlineNs) throw new TimeSpent();
    onStep('audit: resting until answers have to be fresh');
    await asker.until(untilNs);
  }

  /** One session in which one shade is tried and a cart intent shown, if there is a channel for that. */
  async #session(productId: string): Promise<void> {
    const { asker, catalog, channel, clock, onStep } = this.#options;
    onStep(studyPhases.auditSession);
    const { reading } = await this.#create(productId, studyPhases.auditSession, 'audit:session');
    const sku = catalog.products[0]?.shades[0]?.sku;
    if (reading.grant === undefined || channel === undefined || sku === undefined) return;
    const { session_id: sessionId, token } = reading.grant;
    const at = new Date(epochMs(clock, clock.nowNs())).toISOString();
    const events = (['shade_selected', 'cart_intent'] as const).map((type) => ({
      id: randomUUID(),
      type,
      sku,
      at,
    }));
    for (const interactions of channel.most_events === 1 ? events.map((event) => [event]) : [events])
      await asker.askOnChannel(channel, token, {
        call: calls.interact(channel, sessionId, { interactions }),
        stage: 'study',
        phase: studyPhases.auditSession,
        credential: 'load',
        probe: 'audit:acts',
        known: { secrets: [token] },
      });
  }
}

/** The questions before an audit's session: the whole, and the session's product. */
function ownQuestions(scope: AuditScope): AuditQuestion[] {
  const round = roundOf(scope);
  const own = round.find(({ query }) => query.product_id === scope.ownProduct);
  return [...round.slice(0, 1), ...(own === undefined ? [] : [own])];
}
