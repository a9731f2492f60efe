import { counted, seconds } from '../../../amounts.ts';
import type { Catalog } from '../../../scenario/catalog/catalog.ts';
import * as calls from '../../../target/calls.ts';
import { type KeyAccount, type Keys, toldAccount } from '../../../target/keys.ts';
import type { Profile } from '../../../target/profile.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import type { Reply } from '../../ask/ask.ts';
import { plainSession } from '../../ask/sample.ts';
import type { Clock } from '../../clock/clock.ts';
import { exhaust, isRefused } from '../limits/at-limit.ts';
import { aboutItsCall, type Prober, type StudyRequest } from '../sending/prober.ts';
import {
  beyond,
  early,
  edgeRefusals,
  malformedBodies,
  nothingSent,
  pacedPart,
  restWindows,
  tryPrecedence,
} from './quota-cost.ts';

interface QuotaStudyOptions {
  readonly prober: Prober;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly catalogs: Readonly<Record<Role, Catalog>>;
  readonly tag: string;
  readonly profile: Pick<Profile, 'data_scope' | 'quota' | 'rate_limit'>;
  /** Sessions opened so far with a role's key. */
  readonly opened: (role: Role) => number;
  /** Sessions that it tries at most on a key before it gives up looking for the edge. */
  readonly cap: number;
  /** Sessions that go out at once around the edge. */
  readonly race: number;
  readonly onStep: (step: string) => void;
}

/** This many 429 in a row, each after a wait of a window, do not come from the rate limit. */
const waitedOut = 2;
/** Sessions that go out together before the edge and after it. */
const atOnce = 4;

const others = [
  ['bystander', 'quota:other-account'],
  ['twin', 'quota:twin'],
  ['load', 'quota:load'],
] as const;

/**
 * Studies the session quota with the `quota` key: first a few sessions and requests that must not spend it, then sessions up to
 * the edge, the last ones at once if the edge is known. If a `twin` key is of another account, the race uses that one.
 * Then other keys, and whether 402 or 429 comes first.
 */
export async function studyQuota(options: QuotaStudyOptions): Promise<void> {
  await new QuotaConductor(options).run();
}

class QuotaConductor {
  readonly #options: QuotaStudyOptions;

  constructor(options: QuotaStudyOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { catalogs, onStep, profile, prober, race } = this.#options;
    const quota = profile.quota.sessions;
    onStep('one session on each other key');
    const before = await this.#openOnOthers();
    const twin = await this.#accountOfTwin(before.get('twin'));
    onStep('requests that must not spend quota, nor give it back: reads, imports, errors, rejections');
    await this.#openEarly(quota);
    await this.#spendNothing();
    onStep('creating sessions one by one until the quota is spent');
    // With a twin's own quota to race for, this one is for the sequence alone.
    const own = await this.#toTheEdge(
      twin === 'same-account' ? ['quota', 'twin'] : ['quota'],
      quota,
      twin === 'other-account' ? 0 : race,
    );
    onStep('other keys, once the quota is spent');
    const after = await this.#openOnOthers();
    const found = own.edge ?? quota;
    if (twin === 'other-account' && after.get('twin')?.exchange.status !== 402 && found !== undefined) {
      onStep(`a race of ${counted(race, 'request')} for the last sessions of a second key`);
      await this.#toTheEdge(['twin'], found, race);
    }
    onStep('imports, once the quota is spent');
    if (own.edge !== undefined) {
      await prober.send(this.#import('after-quota:import-shades'));
      onStep('over quota and rate limit: 402 or 429');
      await tryPrecedence({ prober, limit: profile.rate_limit.requests, catalog: catalogs.quota });
    }
  }

  /** Whether a role was given a key, and another than the `quota` key. */
  #hasOwnKey(role: Role): boolean {
    const { keys } = this.#options;
    return keys[role] !== undefined && keys[role].value !== keys.quota?.value;
  }

  #told(role: Role): KeyAccount {
    const { keys, profile } = this.#options;
    return toldAccount(role, profile, keys[role] !== undefined && !this.#hasOwnKey(role));
  }

  /** One session on each other key, with one wait after a 429. */
  async #openOnOthers(): Promise<ReadonlyMap<Role, Reply>> {
    const replies = new Map<Role, Reply>();
    for (const [role, probe] of others) {
      if (!this.#hasOwnKey(role)) continue;
      const reply = await this.#paced(this.#session(role, probe));
      replies.set(role, isRefused(reply) ? await this.#paced(this.#session(role, probe)) : reply);
    }
    return replies;
  }

  /**
   * Whose quota the twin key spends, which decides where sessions can race. If the profile does not say, the test is
   * whether the `quota` key can read the twin's session. Only the place of the race depends on it.
   */
  async #accountOfTwin(opened: Reply | undefined): Promise<'same-account' | 'other-account' | undefined> {
    if (opened === undefined) return undefined;
    const told = this.#told('twin');
    if (told !== 'discover') return told;
    const sessionId = opened.reading.grant?.session_id;
    if (sessionId === undefined) return 'other-account';
    const reply = await this.#paced(
      aboutItsCall(calls.readSession(sessionId), {
        credential: 'quota',
        phase: studyPhases.quotaNothing,
        probe: 'quota:twin-session',
      }),
    );
    return isAdmitted(reply) ? 'same-account' : 'other-account';
  }

  /** As many sessions as the requests that create none could give back. */
  async #openEarly(quota: number | undefined): Promise<void> {
    const count = Math.min(early.most, Math.floor((quota ?? this.#options.cap) * early.part));
    for (let n = 0; n < count; n += atOnce) {
      const replies = await this.#atOnce(Math.min(atOnce, count - n), this.#session('quota'));
      if (!replies.every(isAdmitted)) return;
    }
  }

  /** Everything but admitted sessions, before most of them: the edge will tell whether any of it was counted or given back. */
  async #spendNothing(): Promise<void> {
    const { catalogs, clock, onStep, profile, prober, tag } = this.#options;
    const rateLimit = profile.rate_limit;
    const catalog = catalogs.quota;
    const phase = studyPhases.quotaNothing;
    const read = aboutItsCall(calls.listShades(catalog.id), { credential: 'quota', phase });
    const unknown = `tryon-${tag}-unknown`;
    const productId = catalog.products[0]?.id ?? '';
    const failing: StudyRequest = {
      call: calls.createSession({ product_id: productId, catalog_id: unknown, locale: catalog.locale }),
      credential: 'quota',
      phase,
      probe: 'unknown-catalog:create-session',
      known: { productId, catalogId: unknown },
    };
    const missing = aboutItsCall(calls.readSession(unknown), {
      credential: 'quota',
      phase,
      probe: 'unknown-session',
    });
    const kinds = [
      [read, nothingSent.reads],
      [failing, nothingSent.failing],
      [missing, nothingSent.missing],
      [{ ...this.#import('quota:nothing'), phase }, nothingSent.imports],
    ] as const;
    for (let n = 0; n < Math.max(...kinds.map(([, count]) => count)); n++)
      for (const [request, count] of kinds) if (n < count) await this.#paced(request);
    await this.#malformed();
    // Creates sessions while reads hold the key at its limit, so they are rejected (429).
    const control: StudyRequest = { ...read, probe: 'scope:control' };
    if (await exhaust({ prober, limit: rateLimit.requests, control, tries: new Map() })) {
      const refused = { ...this.#session('quota', 'quota:limited'), phase };
      await prober.volley(Array.from({ length: nothingSent.limited }, () => refused));
    }
    onStep(`waiting ${seconds(restWindows * rateLimit.windowMs)} for the rate limit`);
    await prober.until(clock.nowNs() + restWindows * rateLimit.windowMs * 1e6);
  }

  /** Sessions that the service rejects for their form, in the first way that it does. One that it accepts is a session. */
  async #malformed(): Promise<void> {
    const { id: catalogId, locale, products } = this.#options.catalogs.quota;
    const productId = products[0]?.id ?? '';
    for (const body of malformedBodies({ product_id: productId, catalog_id: catalogId, locale })) {
      const request: StudyRequest = {
        call: { ...calls.createSession({ product_id: productId, catalog_id: catalogId, locale }), body },
        credential: 'quota',
        phase: studyPhases.quotaNothing,
        probe: 'quota:malformed',
        known: { productId, catalogId },
      };
      if (isAdmitted(await this.#paced(request))) continue;
      for (let n = 1; n < nothingSent.malformed; n++) await this.#paced(request);
      return;
    }
  }

  /**
   * Requests sessions one after another on the first of an account's keys until the quota is spent, or the cap. With
   * a race, `race` of them go out at once around the edge on all of these keys, half of them before it.
   */
  async #toTheEdge(
    keys: readonly ('quota' | 'twin')[],
    edge: number | undefined,
    race: number,
  ): Promise<{ readonly edge: number | undefined }> {
    const { cap, opened, prober } = this.#options;
    const [first = 'quota'] = keys;
    const session = this.#session(first);
    // An edge beyond the cap is not gone for.
    const racing = edge === undefined || edge > cap ? 0 : Math.min(race, 2 * edge);
    const known = first === 'quota' ? roles.filter((role) => this.#told(role) === 'same-account') : [];
    const spent = [...new Set([...keys, ...known])].reduce((sum, role) => sum + opened(role), 0);
    const tried = first === 'quota' ? Math.min(cap, opened(first)) : 0;
    const before = edge === undefined || racing === 0 ? cap - tried : edge - Math.floor(racing / 2) - spent;
    const tally: QuotaTally = { admitted: spent, refusals: 0, limited: 0 };
    for (let n = 0; n < before && !isOver(tally); n++) count(tally, await this.#paced(session));
    if (racing > 0 && !isOver(tally)) {
      const racers = Array.from({ length: racing }, (_, n) => this.#session(keys[n % keys.length] ?? first));
      for (const reply of await prober.volley(racers)) count(tally, reply);
      tally.limited = 0;
      // A rate limiter may have rejected part of the volley: then the edge is not reached yet.
      for (let n = 0; n < racing && !isOver(tally); n++) count(tally, await this.#paced(session));
    }
    if (!isOver(tally)) return { edge: undefined };
    for (let n = 0; n < beyond && tally.limited < waitedOut; n += atOnce)
      for (const reply of await this.#atOnce(atOnce, session)) count(tally, reply);
    return { edge: tally.admitted };
  }

  /** Sends when the pace allows, and returns the answer. After a 429 it waits. */
  async #paced(request: StudyRequest): Promise<Reply> {
    const [reply] = await this.#atOnce(1, request);
    if (reply === undefined) throw new Error('one request has one answer');
    return reply;
  }

  /** A few over as many connections, at the same pace: nodes may count apart. */
  async #atOnce(size: number, request: StudyRequest): Promise<readonly Reply[]> {
    const { clock, prober } = this.#options;
    const { requests, windowMs } = this.#options.profile.rate_limit;
    await prober.until(prober.lastSentNs + (size * windowMs * 1e6) / (pacedPart * requests));
    const replies = await prober.volley(Array.from({ length: size }, () => request));
    if (replies.some(isRefused)) await prober.until(clock.nowNs() + restWindows * windowMs * 1e6);
    return replies;
  }

  #session(role: Role, probe?: StudyRequest['probe']): StudyRequest {
    return aboutItsCall(plainSession(this.#options.catalogs[role]), {
      credential: role,
      phase: studyPhases.quotaEdge,
      ...(probe === undefined ? {} : { probe }),
    });
  }

  #import(probe: NonNullable<StudyRequest['probe']>): StudyRequest {
    const catalog = this.#options.catalogs.quota;
    const shades = (catalog.products[0]?.shades ?? []).slice(0, 1);
    return aboutItsCall(calls.importShades({ catalog_id: catalog.id, shades }), {
      credential: 'quota',
      phase: studyPhases.quotaEdge,
      probe,
    });
  }
}

/** What became of the sessions of a key. */
interface QuotaTally {
  admitted: number;
  /** 402 in a row. */
  refusals: number;
  /** 429 in a row, each waited out at a pace far below the rate limit. */
  limited: number;
}

function count(tally: QuotaTally, reply: Reply): void {
  if (isAdmitted(reply)) tally.admitted++;
  tally.refusals = reply.exchange.status === 402 ? tally.refusals + 1 : 0;
  tally.limited = isRefused(reply) ? tally.limited + 1 : 0;
}

/** The edge, with any status: a 429 that repeats after a window of rest does not come from the rate limit. */
function isOver({ refusals, limited }: QuotaTally): boolean {
  return refusals >= edgeRefusals || limited >= waitedOut;
}

function isAdmitted({ exchange: { status } }: Reply): boolean {
  return status !== undefined && status >= 200 && status < 300;
}
