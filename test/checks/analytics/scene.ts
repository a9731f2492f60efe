import type { History } from '../../../src/history/history.ts';
import type { AnswerRecord, CatalogRecord, InteractionRecord } from '../../../src/history/record.ts';
import type { RunInfo } from '../../../src/history/run.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import type { SessionAnalytics } from '../../../src/wire.ts';
import { type SampleRequest, sampleRun, withHistory } from '../../history/sample.ts';
import {
  type NaiveAct,
  type NaiveConventions,
  type NaiveSession,
  naiveAnalytics,
  naiveDefaults,
  writtenAs,
} from './naive.ts';

const dayMs = 86_400_000;
const msNs = 1e6;
/** A scene opens at 13:17 UTC, when it is midnight nowhere. */
export const sceneStartMs = 77 * 60_000;

export interface SceneQuery {
  readonly start?: string;
  readonly end?: string;
  readonly product?: string;
  readonly credential?: 'load' | 'quota' | 'bystander';
}

/** How an answer is made from the truth: conventions of a target, honest or not. */
export interface Manner extends Partial<NaiveConventions> {
  /** Decimals that means are rounded to; 15 is none. */
  readonly decimals?: number;
  readonly endDate?: 'inclusive' | 'exclusive';
  /** Whose days; UTC if left out. */
  readonly zone?: { dayStartMs(date: string): number } | undefined;
  /** Changes the finished body. */
  readonly spoil?: (body: SessionAnalytics, query: SceneQuery) => unknown;
  /** The sessions that the target counts, instead of all that happened. */
  readonly counted?: (sessions: readonly NaiveSession[]) => readonly NaiveSession[];
}

/** What becomes of a batch of acts. */
export type ActOutcome =
  | 'accepted'
  | 'lost'
  | 'lost-but-arrived'
  | 'refused'
  | 'limited'
  | 'limited-but-accepted';

/**
 * A run, written down step by step as its history, together with the truth of what happened. Time passes by 10 ms a
 * request unless told otherwise.
 */
export class Scene {
  readonly requests: SampleRequest[] = [];
  readonly interactions: InteractionRecord[] = [];
  readonly answers: AnswerRecord[] = [];
  readonly catalog: CatalogRecord[] = [];
  /** What really happened. */
  readonly truth: (NaiveSession & { acts: NaiveAct[]; sessionId: string })[] = [];
  nowNs = sceneStartMs * msNs;
  #acts = 0;

  /** POST /sessions; returns its session id, or undefined where nobody got one. */
  session(
    product: string,
    options: {
      credential?: 'load' | 'quota' | 'bystander';
      outcome?: 'granted' | 'lost' | 'lost-but-made' | 'refused' | 'failed';
      shopper?: number;
      locale?: string;
      /** Sessions that redeliveries of the request made, which nobody was granted. */
      ungranted?: number;
    } = {},
  ): string | undefined {
    const { credential = 'load', locale = 'en-GB', outcome = 'granted', ungranted = 0 } = options;
    const seq = this.#tick();
    const sessionId = `s${seq}`;
    const granted = outcome === 'granted';
    this.requests.push({
      endpoint: 'create-session',
      credential,
      productId: product,
      catalogId: 'catalog',
      locale,
      sentNs: this.nowNs,
      ...(granted ? { sessionId } : {}),
      ...(outcome.startsWith('lost') ? { lost: 'timeout' as const, answeredNs: this.nowNs + 5 * msNs } : {}),
      ...(outcome === 'refused' ? { status: 402 } : {}),
      ...(outcome === 'failed' ? { status: 500 } : {}),
    });
    const createdMs = sampleRun.zero_epoch_ms + this.nowNs / msNs;
    const made = granted || outcome === 'lost-but-made' ? [sessionId] : [];
    for (let n = 0; n < ungranted; n++) made.push(`${sessionId} again ${n}`);
    for (const id of made) this.truth.push({ product, credential, sessionId: id, createdMs, acts: [] });
    return granted ? sessionId : undefined;
  }

  /** POST of one batch of acts: `sku` selects, `+sku` shows cart intent; `at`, by the shopper's clock. Returns the ids. */
  act(
    sessionId: string | undefined,
    acts: readonly string[],
    options: { outcome?: ActOutcome; ids?: readonly string[]; at?: string } = {},
  ): string[] {
    const { outcome = 'accepted', at = '2026-05-01T12:00:00Z' } = options;
    const seq = this.#tick();
    this.requests.push({
      endpoint: 'interact',
      credential: 'session',
      items: acts.length,
      sentNs: this.nowNs,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(outcome === 'accepted' ? { status: 202 } : {}),
      ...(outcome === 'refused' ? { status: 422 } : {}),
      ...(outcome.startsWith('limited') ? { status: 429 } : {}),
      ...(outcome.startsWith('lost') ? { lost: 'reset' as const, answeredNs: this.nowNs + 5 * msNs } : {}),
    });
    const happened = ['accepted', 'lost-but-arrived', 'limited-but-accepted'].includes(outcome);
    return acts.map((text, index) => {
      const id = options.ids?.[index] ?? `i${++this.#acts}`;
      const type = text.startsWith('+') ? 'cart_intent' : 'shade_selected';
      const sku = text.replace('+', '');
      this.interactions.push({ seq, sessionId: sessionId ?? '', id, type, sku, at });
      const session = this.truth.find((candidate) => candidate.sessionId === sessionId);
      if (happened && !session?.acts.some((act) => act.id === id))
        session?.acts.push({ id, type, sku, atMs: sampleRun.zero_epoch_ms + this.nowNs / msNs });
      return id;
    });
  }

  /** A whole visit whose every request succeeds. */
  visit(product: string, acts: readonly string[] = [], credential: 'load' | 'quota' = 'load'): string {
    const id = this.session(product, { credential }) ?? '';
    if (acts.length > 0) this.act(id, acts);
    return id;
  }

  /** GET /sessions/{id}, as the truth has it unless `spoil` changes the body. */
  read(
    sessionId: string,
    spoil: (body: {
      session_id: string;
      product_id: string;
      locale: string;
      catalog_id: string;
      interactions: { id?: string; type: string; sku: string; at: string }[];
    }) => unknown = (body) => body,
    status = 200,
  ): void {
    const seq = this.#tick();
    const session = this.truth.find((candidate) => candidate.sessionId === sessionId);
    this.requests.push({
      endpoint: 'read-session',
      stage: 'settle',
      phase: 'read-back',
      credential: session?.credential === 'quota' ? 'quota' : 'load',
      sessionId,
      sentNs: this.nowNs,
      status,
    });
    const body = {
      session_id: sessionId,
      product_id: session?.product ?? '',
      locale: 'en-GB',
      catalog_id: 'catalog',
      interactions: (session?.acts ?? []).map(({ id, type, sku }) => ({ id, type, sku, at: 'x' })),
    };
    this.answers.push({ seq, endpoint: 'read-session', query: {}, body: spoil(body) });
  }

  /** GET /analytics/sessions, answered from the truth in a manner. */
  ask(query: SceneQuery = {}, manner: Manner = {}, phase = 'analytics'): void {
    const body = this.honest(query, manner);
    this.askRaw(query, manner.spoil === undefined ? body : manner.spoil(body, query), phase);
  }

  askRaw(query: SceneQuery, body: unknown, phase = 'analytics', status = 200): void {
    const seq = this.#tick();
    const { start, end } = dates(query);
    this.requests.push({
      endpoint: 'analytics',
      stage: phase === 'baseline' ? 'setup' : 'settle',
      phase,
      credential: query.credential ?? 'load',
      sentNs: this.nowNs,
      status,
      ...(query.product === undefined ? {} : { productId: query.product }),
    });
    this.answers.push({
      seq,
      endpoint: 'analytics',
      query: {
        start_date: start,
        end_date: end,
        ...(query.product === undefined ? {} : { product_id: query.product }),
      },
      ...(body === undefined ? {} : { body }),
    });
  }

  /** What a target of that manner answers. */
  honest(query: SceneQuery = {}, manner: Manner = {}): SessionAnalytics {
    const { start, end } = dates(query);
    const conventions = { ...naiveDefaults, ...manner };
    const dayStartMs = manner.zone?.dayStartMs ?? Date.parse;
    const after = new Date(Date.parse(end.slice(0, 10)) + dayMs).toISOString().slice(0, 10);
    const endMs = dayStartMs(manner.endDate === 'exclusive' ? end.slice(0, 10) : after);
    const sessions = manner.counted?.(this.truth) ?? this.truth;
    const exact = naiveAnalytics(
      sessions,
      {
        credential: query.credential ?? 'load',
        product: query.product ?? null,
        startMs: dayStartMs(start.slice(0, 10)),
        endMs,
      },
      conventions,
    );
    return writtenAs(exact, `${start} / ${end}`, { decimals: 4, ...conventions });
  }

  pause(ms: number): void {
    this.nowNs += ms * msNs;
  }

  judge<T>(
    judge: (history: History) => Promise<T>,
    options: { profile?: ProfileInput; run?: Partial<RunInfo>; copied?: boolean } = {},
  ): Promise<T> {
    return withHistory(
      {
        requests: this.requests,
        interactions: this.interactions,
        answers: this.answers,
        catalog: this.catalog,
        ...options,
      },
      judge,
    );
  }

  #tick(): number {
    this.nowNs += 10 * msNs;
    return this.requests.length + 1;
  }
}

/** The sample run happens on 2026-05-01. */
export const today = '2026-05-01';
export const tomorrow = '2026-05-02';

function dates(query: SceneQuery): { start: string; end: string } {
  return { start: query.start ?? today, end: query.end ?? today };
}
