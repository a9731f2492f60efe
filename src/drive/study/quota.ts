import type { Catalog } from '../../catalog/catalog.ts';
import { studyPhases } from '../../history/phases.ts';
import type { RateLimit } from '../../scenario/quantities.ts';
import type { QuotaStudy } from '../../scenario/study.ts';
import * as calls from '../../target/calls.ts';
import type { Keys } from '../../target/keys.ts';
import type { Role } from '../../target/profile.ts';
import type { Reply } from '../ask.ts';
import type { Clock } from '../clock.ts';
import { requestsOfPrecedence, tryPrecedence } from './precedence.ts';
import type { Prober, StudyRequest } from './prober.ts';
import { exhaust, isRefused } from './scope.ts';

export interface QuotaStudyOptions {
  readonly prober: Prober;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly catalogs: Readonly<Record<Role, Catalog>>;
  readonly tag: string;
  readonly rateLimit: RateLimit;
  /** Sessions that the plan allows, if that is known. */
  readonly quota: number | undefined;
  /** Sessions that it tries at most on a key before it gives up looking for the edge. */
  readonly cap: number;
  /** Sessions that go out at once around the edge. */
  readonly race: number;
  /** The study is over by then, run nanoseconds. */
  readonly deadlineNs: number;
  readonly onStep: (step: string) => void;
}

/** Sessions paced one after another spend this part of the rate limit. */
const pacedPart = 0.5;
/** So many 402 in a row are the edge. */
const edgeRefusals = 3;
/** So many 429 in a row, each waited out for a window, are no matter of the rate. */
const waitedOut = 2;
/** Requests of each kind that ought to spend nothing. */
const ofEachKind = 5;
/** Attempts after the edge, one after another. */
const beyond = 20;
/** By when a rate limiter has forgotten, in windows. */
const restWindows = 1.1;

/** Sessions that a quota study tries on a key at most. */
export function quotaAttemptsOf(
  { cap, race }: Pick<QuotaStudy, 'cap' | 'race'>,
  quota: number | undefined,
): number {
  return (quota === undefined ? cap : Math.min(cap, quota + edgeRefusals)) + 2 * race + beyond + ofEachKind;
}

/** Limits that the bursts of a quota study spend on a key at most. */
const burstLimits = 8;

/** What a quota study with so many attempts may send on a key at most. */
export function requestsOfQuotaStudy(attempts: number, { requests }: RateLimit): number {
  return attempts + 5 * ofEachKind + Math.ceil(burstLimits * requests) + requestsOfPrecedence + 30;
}

/** How long it may take: the attempts of two keys at its pace, and the rests. */
export function msOfQuotaStudy(attempts: number, { requests, windowMs }: RateLimit): number {
  return windowMs * ((2 * attempts) / (pacedPart * requests) + 3 * restWindows);
}

/**
 * Studies the session quota: what ought to spend nothing, first; then session after session to the edge on the `quota`
 * key, the last of them at once where the edge is known. On a `twin` key that is not out of sessions by then, a race for
 * its last ones. Then other accounts, and which refusal comes first. Needs the `quota` key.
 */
export async function studyQuota(options: QuotaStudyOptions): Promise<void> {
  try {
    await new Quota(options).run();
  } catch (error) {
    // What was found until then is judged; what was not tried says so.
    if (!(error instanceof OutOfTime)) throw error;
  }
}

class OutOfTime extends Error {}

class Quota {
  readonly #options: QuotaStudyOptions;

  constructor(options: QuotaStudyOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { catalogs, keys, onStep, prober, quota, race, rateLimit } = this.#options;
    if (keys.bystander !== undefined) await prober.send(this.#session('bystander', 'quota:other-account'));
    if (keys.twin !== undefined) await prober.send(this.#session('twin', 'quota:twin'));
    onStep('what ought to spend nothing: reads, imports, errors, refusals');
    await this.#spendNothing();
    const hasTwin = keys.twin !== undefined;
    onStep('session after session, to the edge of the quota');
    // With a twin to race on, this key is for the sequence alone.
    const own = await this.#toTheEdge('quota', quota, hasTwin ? 0 : race);
    onStep('other keys, once the quota is spent');
    if (keys.bystander !== undefined) await prober.send(this.#session('bystander', 'quota:other-account'));
    if (hasTwin) {
      const first = await prober.send(this.#session('twin', 'quota:twin'));
      const found = own.edge ?? quota;
      if (first.exchange.status !== 402 && found !== undefined) {
        onStep(`a race of ${race} for the last sessions of a second key`);
        await this.#toTheEdge('twin', found, race, 2);
      }
    }
    onStep('imports, once the quota is spent');
    if (own.edge !== undefined) {
      await prober.send(this.#import('after-quota:import-shades'));
      onStep('quota and rate limit at once: which refusal comes first');
      await tryPrecedence({ prober, limit: rateLimit.requests, catalog: catalogs.quota });
    }
  }

  /** Everything but admitted sessions, before the first of them: the edge will tell whether any of it was counted. */
  async #spendNothing(): Promise<void> {
    const { catalogs, clock, onStep, prober, rateLimit, tag } = this.#options;
    const catalog = catalogs.quota;
    const phase = studyPhases.quotaNothing;
    const read: StudyRequest = {
      call: calls.listShades(catalog.id),
      credential: 'quota',
      phase,
      known: { catalogId: catalog.id },
    };
    const unknown = `tryon-${tag}-unknown`;
    const productId = catalog.products[0]?.id ?? '';
    const failing: StudyRequest = {
      call: calls.createSession({ product_id: productId, catalog_id: unknown, locale: 'en-GB' }),
      credential: 'quota',
      phase,
      probe: 'unknown-catalog:create-session',
      known: { productId, catalogId: unknown },
    };
    const missing: StudyRequest = {
      call: calls.readSession(unknown),
      credential: 'quota',
      phase,
      probe: 'unknown-session',
      known: { sessionId: unknown },
    };
    for (let n = 0; n < ofEachKind; n++) {
      for (const request of [read, failing, missing, { ...this.#import('quota:nothing'), phase }])
        await this.#paced(request);
    }
    // Sessions refused for the rate, with the key at its limit by reads.
    const control: StudyRequest = { ...read, probe: 'scope:control' };
    if (await exhaust({ prober, limit: rateLimit.requests, control, tries: new Map() })) {
      const refused = { ...this.#session('quota', 'quota:limited'), phase };
      await prober.volley(Array.from({ length: ofEachKind }, () => refused));
    }
    onStep(
      `resting ${Math.ceil((restWindows * rateLimit.windowMs) / 1e3)} s, until the rate limit is free again`,
    );
    await prober.until(clock.nowNs() + restWindows * rateLimit.windowMs * 1e6);
  }

  /**
   * Sessions one after another until the quota refuses, or the cap. With a race, so many at once around the edge, half of
   * them before it. `spent`: sessions that the key has had already.
   */
  async #toTheEdge(
    role: 'quota' | 'twin',
    edge: number | undefined,
    race: number,
    spent = 0,
  ): Promise<{ readonly edge: number | undefined }> {
    const { cap, prober } = this.#options;
    const session = this.#session(role);
    // An edge beyond the cap is not gone for.
    const racing = edge === undefined || edge > cap ? 0 : Math.min(race, 2 * edge);
    const before = edge === undefined || racing === 0 ? cap : edge - Math.floor(racing / 2) - spent;
    const tally: Tally = { admitted: spent, refusals: 0, limited: 0 };
    for (let n = 0; n < before && !isOver(tally); n++) count(tally, await this.#paced(session));
    if (racing > 0 && !isOver(tally)) {
      for (const reply of await prober.volley(Array.from({ length: racing }, () => session)))
        count(tally, reply);
      tally.limited = 0;
      // A rate limiter may have refused part of the volley: the edge is still to be reached.
      for (let n = 0; n < racing && !isOver(tally); n++) count(tally, await this.#paced(session));
    }
    if (!isOver(tally)) return { edge: undefined };
    for (let n = 0; n < beyond && tally.limited < waitedOut; n++) count(tally, await this.#paced(session));
    return { edge: tally.admitted };
  }

  /** Sends when the pace allows, and waits for the answer. A refusal for the rate is waited out. */
  async #paced(request: StudyRequest): Promise<Reply> {
    const { clock, prober, rateLimit } = this.#options;
    if (clock.nowNs() > this.#options.deadlineNs) throw new OutOfTime();
    const gapNs = (rateLimit.windowMs * 1e6) / (pacedPart * rateLimit.requests);
    await prober.until(prober.lastSentNs + gapNs);
    const reply = await prober.send(request);
    if (isRefused(reply)) await prober.until(clock.nowNs() + restWindows * rateLimit.windowMs * 1e6);
    return reply;
  }

  #session(role: 'quota' | 'twin' | 'bystander', probe?: StudyRequest['probe']): StudyRequest {
    const catalog = this.#options.catalogs[role];
    const productId = catalog.products[0]?.id ?? '';
    const body = { product_id: productId, catalog_id: catalog.id, locale: 'en-GB' };
    return {
      call: calls.createSession(body),
      credential: role,
      phase: studyPhases.quotaEdge,
      ...(probe === undefined ? {} : { probe }),
      known: { productId, catalogId: catalog.id, locale: body.locale },
    };
  }

  #import(probe: NonNullable<StudyRequest['probe']>): StudyRequest {
    const catalog = this.#options.catalogs.quota;
    const shades = (catalog.products[0]?.shades ?? []).slice(0, 1);
    return {
      call: calls.importShades({ catalog_id: catalog.id, shades }),
      credential: 'quota',
      phase: studyPhases.quotaEdge,
      probe,
      known: { catalogId: catalog.id, items: shades.length },
    };
  }
}

/** What became of the sessions of a key. */
interface Tally {
  admitted: number;
  /** 402 in a row. */
  refusals: number;
  /** 429 in a row, each waited out at a pace far below the rate limit. */
  limited: number;
}

function count(tally: Tally, reply: Reply): void {
  if (isAdmitted(reply)) tally.admitted++;
  tally.refusals = reply.exchange.status === 402 ? tally.refusals + 1 : 0;
  tally.limited = isRefused(reply) ? tally.limited + 1 : 0;
}

/** The edge, whatever it answers there: a 429 that comes again after a window of rest is not for the rate. */
function isOver({ refusals, limited }: Tally): boolean {
  return refusals >= edgeRefusals || limited >= waitedOut;
}

function isAdmitted({ exchange: { status } }: Reply): boolean {
  return status !== undefined && status >= 200 && status < 300;
}
