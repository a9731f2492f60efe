import type { Exploration } from '../../explore/exploration.ts';
import { lateReadsOf } from '../../explore/readings.ts';
import type { CallGroup } from '../../explore/sent.ts';
import { nearKey, nearToken, type WireContext, wireOf } from '../../explore/wire.ts';
import {
  type ApiCall,
  type CallCredential,
  type CallEvent,
  type CallRequest,
  isWrite,
} from '../../model/call.ts';
import { longTextsOf } from '../../model/text-limits.ts';
import type { TargetClient } from '../../target/client.ts';
import type { Keys } from '../../target/keys.ts';
import type { Channel, Profile } from '../../target/profile.ts';
import { companionPhases, settlePhases } from '../../vocabulary/phases.ts';
import { roles } from '../../vocabulary/roles.ts';
import type { Asker, Question, Reply } from '../ask/ask.ts';
import type { PageBudget } from '../ask/governor.ts';
import { type Clock, epochMs } from '../clock/clock.ts';
import { type DateFormat, type Days, dayQuery } from '../clock/days.ts';
import { followPages } from '../setup/lists.ts';
import type { Discovered, ProbedSession } from '../setup/setup.ts';

/** What an exploration is driven with. */
export interface ExploreOptions {
  readonly exploration: Pick<Exploration, 'groups' | 'late'>;
  readonly profile: Profile;
  readonly asker: Asker;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly channel: Channel | undefined;
  readonly baseUrl: URL;
  readonly days: Days;
  readonly dateFormat: DateFormat;
  readonly openConnection: () => TargetClient;
  /** Further pages of lists, which set-up left. */
  readonly pages: PageBudget;
  readonly onStep: (done: number, total: number) => void;
  /** The reads that are sent once more at the end. */
  readonly former?: Discovered['former'];
  /** The span of run nanoseconds over which the calls are spread, where they are sent during the load. */
  readonly duringLoad?: { readonly startNs: number; readonly endNs: number } | undefined;
}

/** A call that was drawn as the number `drawn`, ready to be sent. */
interface ReadyCall {
  readonly drawn: number;
  readonly request: CallRequest;
  readonly question: Question;
}

/** Whether a target may count a credential among invalid keys. */
const isBad = ({ kind }: CallCredential): boolean => kind === 'none' || kind === 'near';

/** What one drawn call takes in the plan's time, in which its events have their instants. */
const plannedMs = 20;

/** Sends the groups of an exploration, one after another; the calls of a group at once. The history keeps what was sent. */
export async function explore(options: ExploreOptions): Promise<void> {
  const { asker, exploration, onStep, profile } = options;
  const explorer = new Explorer(options);
  const total = exploration.groups.reduce((sum, { length }) => sum + length, 0);
  let drawn = 0;
  const { endNs, startNs } = options.duringLoad ?? { startNs: 0, endNs: 0 };
  const gapNs = (endNs - startNs) / Math.max(1, total);
  let dueNs = startNs;
  const send = async (group: CallGroup): Promise<void> => {
    await asker.until(dueNs);
    // What is late is not made up for.
    dueNs = Math.max(dueNs, options.clock.nowNs()) + gapNs * group.length;
    onStep(drawn, Math.max(total, drawn));
    await explorer.send(group.map((request, at) => ({ request, drawn: drawn + at })));
    drawn += group.length;
  };
  for (const group of exploration.groups) await send(group);
  for (const request of explorer.former(options.former)) await send([request]);
  if (Object.values(exploration.late).every(({ length }) => length === 0)) return;
  for (const { afterMs, op } of lateReadsOf(explorer.answered, profile)) {
    await asker.until(explorer.lastWriteNs + afterMs * 1e6);
    for (const group of exploration.late[op]) await send(group);
  }
}

/** A catalog of a key. */
const catalogOf = ({ by, catalog }: CallRequest): string => JSON.stringify([by, catalog]);
/** How long until a session is asked for again whose catalog is to come. */
const earlyWaitNs = 5e8;

/** Of long texts, the ends differ. */
const endOf = (text = ''): string => [...text].slice(-16).join('');

/** Stands for the session that set-up opened. */
const formerSession = -2;

/** A 5xx that comes again has to do with what was asked, and one by chance does not. At most this number of calls are sent again. Ours. */
const mostAgain = 40;

class Explorer {
  readonly #options: ExploreOptions;
  readonly #sessions = new Map<number, ProbedSession>();
  /** The instants of events by session and id: what is sent again is the same event. */
  readonly #instants = new Map<string, number>();
  readonly #wire: WireContext;
  /** What was answered so far. */
  readonly answered: ApiCall[] = [];
  /** When the last call that may change something was over, in run nanoseconds. */
  lastWriteNs = 0;
  /** The target limits invalid keys: more of them might lock out the valid ones. */
  #sparesBadKeys = false;
  #againLeft = mostAgain;
  /** Until when the first import into each catalog shows that was taken for later. */
  readonly #visibleNs = new Map<string, number>();
  /** Whether the target takes long texts in a field of a shade, as far as is known. */
  readonly #takesLong = new Map<ReturnType<typeof longTextsOf>[number], boolean>();

  constructor(options: ExploreOptions) {
    this.#options = options;
    const { end_date, start_date } = dayQuery(options.days.wide(), options.dateFormat);
    this.#wire = {
      sessionId: (opener) => this.#sessions.get(opener)?.grant.session_id,
      channel: options.channel,
      period: { start_date, end_date },
    };
  }

  /** Calls about what was made long before: a catalog, and a session with one more event. */
  former({ catalog, session }: Discovered['former'] = {}): CallRequest[] {
    const by = { kind: 'key', key: 'load' } as const;
    const lists: CallRequest[] = catalog === undefined ? [] : [{ op: 'list-shades', by, catalog }];
    if (session === undefined) return lists;
    this.#sessions.set(formerSession, session);
    const about = { session: formerSession } as const;
    const id = `00000000-0000-4000-8000-${Math.floor(session.atMs).toString(16).padStart(12, '0')}`;
    // The plan's time is over: it happens now.
    const event = { id, type: 'cart_intent', atMs: Number.MAX_SAFE_INTEGER } as const;
    const read: CallRequest = { op: 'read-session', by, ...about };
    const acted: CallRequest = {
      ...{ op: 'interact', by: { kind: 'token', of: formerSession }, events: [event] },
      ...about,
    };
    return [...lists, read, ...(this.#options.channel === undefined ? [] : [acted, read])];
  }

  /** Sends calls at once. */
  async send(group: readonly { readonly request: CallRequest; readonly drawn: number }[]): Promise<void> {
    const ready = group.flatMap(({ drawn, request }) => this.#ready(request, drawn) ?? []);
    const { asker, clock } = this.#options;
    const replies = await asker.askAtOnce(ready.map(({ question }) => question));
    for (const [at, { drawn, question, request }] of ready.entries()) {
      const reply = replies[at];
      if (reply !== undefined) await this.#answered({ drawn, question, request }, reply);
      const visibleNs = (request.op === 'create-session' && this.#visibleNs.get(catalogOf(request))) || 0;
      let { status = 0 } = reply?.exchange ?? {};
      // Without sessions there is little to explore.
      while ((status >= 500 || (status === 404 && clock.nowNs() < visibleNs)) && this.#againLeft-- > 0) {
        if (status === 404) await asker.until(clock.nowNs() + earlyWaitNs);
        const [again] = await asker.askAtOnce([question]);
        if (again !== undefined) await this.#answered({ drawn, question, request }, again);
        status = status === 404 ? (again?.exchange.status ?? 0) : 0;
      }
      if (question.client !== undefined) await question.client.destroy();
    }
  }

  async #answered({ drawn, question, request }: ReadyCall, reply: Reply): Promise<void> {
    this.#learn(request, drawn, reply);
    if (request.op === 'list-shades') await this.#followPages(question, reply);
  }

  #learn(request: CallRequest, drawn: number, { exchange, reading, seq }: Reply): void {
    const { by, op } = request;
    const { clock, profile } = this.#options;
    const { answeredNs = clock.nowNs(), sentNs = answeredNs, status = 0 } = exchange;
    this.answered.push({
      ...this.#kept(request),
      ...{ n: seq, fromMs: epochMs(clock, sentNs), untilMs: epochMs(clock, answeredNs), line: -1 },
      answer: { status, body: exchange.json() },
    });
    if (isWrite(request)) this.lastWriteNs = answeredNs;
    if (op === 'create-session' && reading.grant !== undefined)
      this.#sessions.set(drawn, { seq, by, grant: reading.grant, atMs: epochMs(clock, clock.nowNs()) });
    if (exchange.status === 429 && isBad(by)) this.#sparesBadKeys = true;
    if (op !== 'import-shades') return;
    const visibleNs = this.#visibleNs.get(catalogOf(request)) ?? answeredNs + profile.import_visible * 1e6;
    if (status === 202) this.#visibleNs.set(catalogOf(request), visibleNs);
    const isRefused = status === 400 || status === 422;
    for (const field of (request.shades ?? []).flatMap(longTextsOf))
      if (isRefused ? !this.#takesLong.has(field) : status >= 200 && status < 300)
        this.#takesLong.set(field, !isRefused);
  }

  /** Where the first import with long texts was refused, later ones have short ones: else most would be, and show nothing. */
  #shortened({ events, shades, ...request }: CallRequest): CallRequest {
    const shorter = <Texts extends Parameters<typeof longTextsOf>[0]>(each: Texts): Texts => {
      const cut = longTextsOf(each).filter((field) => this.#takesLong.get(field) === false);
      return { ...each, ...Object.fromEntries(cut.map((field) => [field, endOf(each[field])])) };
    };
    return {
      ...request,
      ...(shades && { shades: shades.map(shorter) }),
      ...(events && { events: events.map(shorter) }),
    };
  }

  #ready(drawnRequest: CallRequest, drawn: number): ReadyCall | undefined {
    const { by, isFresh, op } = drawnRequest;
    if (this.#sparesBadKeys && isBad(by)) return undefined;
    const request = this.#keyed(this.#timed(this.#shortened(drawnRequest), drawn));
    const call = wireOf(request, this.#wire);
    const sent = this.#credentialOf(request.by);
    if (call === undefined || sent === undefined) return undefined;
    const question: Question = {
      ...(this.#options.duringLoad === undefined
        ? { stage: 'settle', phase: settlePhases.explored }
        : { stage: 'companion', phase: companionPhases.explored }),
      ...{ call, probe: 'explored', isOnce: true, ...sent },
      // Of a new session its record has all that is judged, and its body has a secret.
      keeps: op !== 'create-session',
      // An answer may show another session than the one that was asked for.
      known: {
        call: this.#kept(request),
        secrets: [...this.#sessions.values()].map(({ grant }) => grant.token),
      },
      ...(isFresh === true && { client: this.#options.openConnection() }),
    };
    return { drawn, request, question };
  }

  /** Where the channel turned out to take keys, with the key of a session in place of its token. */
  #keyed(request: CallRequest): CallRequest {
    const { by, op } = request;
    if (op !== 'interact' || by.kind !== 'token' || this.#options.channel?.auth !== 'api-key') return request;
    return { ...request, by: this.#sessions.get(by.of)?.by ?? by };
  }

  /** With the instants that its events have. */
  #timed(request: CallRequest, drawn: number): CallRequest {
    const { events, session = -1 } = request;
    if (events === undefined) return request;
    const opened = this.#sessions.get(session);
    const { clock } = this.#options;
    const nowMs = Math.floor(epochMs(clock, clock.nowNs()));
    const lastMs = Math.max(...events.map(({ atMs }) => atMs), drawn * plannedMs);
    const timed = events.map((event): CallEvent => {
      const key = `${session} ${event.id}`;
      const known = this.#instants.get(key);
      // None is in the future, and none before its session.
      const atMs = known ?? Math.max(Math.ceil(opened?.atMs ?? 0), nowMs - (lastMs - event.atMs));
      this.#instants.set(key, atMs);
      return { ...event, atMs };
    });
    return { ...request, events: timed };
  }

  /** As the history keeps it: the calls that it refers to are requests of the history. */
  #kept(request: CallRequest): CallRequest {
    const seqOf = (opener: number): number => this.#sessions.get(opener)?.seq ?? -1;
    const { by, session } = request;
    return {
      ...request,
      by: 'of' in by ? { ...by, of: seqOf(by.of) } : by,
      ...(session !== undefined && { session: seqOf(session) }),
    };
  }

  /** Undefined where there is no such credential, or it would be a good one. */
  #credentialOf(by: CallCredential): Pick<Question, 'credential' | 'authorization'> | undefined {
    if (by.kind === 'none') return { credential: 'none' };
    if ('of' in by) {
      const own = this.#sessions.get(by.of)?.grant.token;
      const token = own === undefined || by.kind === 'token' ? own : nearToken(by.form, own);
      return token === undefined ? undefined : { credential: 'session', authorization: `Bearer ${token}` };
    }
    const role = roles.find((each) => each === by.key);
    const key = role === undefined ? undefined : this.#options.keys[role]?.value;
    if (role === undefined || key === undefined) return undefined;
    if (by.kind === 'key') return { credential: role };
    const near = nearKey(by.form, key);
    return near === undefined ? undefined : { credential: 'bad', authorization: `Bearer ${near}` };
  }

  /** A list in pages is one list. */
  async #followPages({ client: _, known: __, ...question }: Question, first: Reply): Promise<void> {
    const { asker } = this.#options;
    const { catalogId = '' } = question.call.about;
    const role = roles.find((each) => each === question.credential);
    if (role === undefined) return;
    await followPages(this.#options, { first, catalogId, role }, async (next) => {
      const [reply] = await asker.askAtOnce([{ ...question, ...next }]);
      return reply;
    });
  }
}
