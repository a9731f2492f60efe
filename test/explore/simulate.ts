import type { CallGroup } from '../../src/explore/sent.ts';
import { type AnswerSaid, type InstantForm, saidBy } from '../../src/model/answer.ts';
import {
  type ApiCall,
  type CallAnswer,
  type CallEvent,
  isBadShade,
  isColour,
  isMalformed,
  type Outcome,
  type SentShade,
} from '../../src/model/call.ts';
import { expectedOf } from '../../src/model/expect.ts';
import type { Expected } from '../../src/model/expected.ts';
import { type FaultCase, type FaultEvidence, withRow } from '../../src/model/faults/fault.ts';
import { learn } from '../../src/model/learn.ts';
import type { Write } from '../../src/model/register.ts';
import { honestModel, type Item, type Model, type ModelPromises } from '../../src/model/stages.ts';
import { type StoredEvent, type StoredShade, World } from '../../src/model/world.ts';
import { type Random, randomStream } from '../../src/random.ts';
import { redeliveredMs, type SimulatedService, usualPromises } from './conventions.ts';
import { type CallJourney, callOf, journeysOf, lostOf } from './journeys.ts';
import { simulatedAnalytics } from './simulated-analytics.ts';

/** Plays a plan against a service in virtual time: an honest one, or one with a fault. */
export function simulate(
  groups: readonly CallGroup[],
  service: SimulatedService,
  row: FaultCase | undefined,
  promises: ModelPromises = usualPromises,
  startMs = 1e12,
): ApiCall[] {
  return new VirtualService(service, row, promises, journeysOf(groups, service.seed, startMs)).play();
}

/** Of two effects at one instant, the first would not be known. */
const apartMs = 0.01;

/** An effect that comes later than its answer. */
interface Effect {
  readonly atMs: number;
  readonly call: ApiCall;
  readonly said: AnswerSaid;
}

class VirtualService {
  readonly #service: SimulatedService;
  readonly #model: Model;
  readonly #isAltered: boolean;
  readonly #areEventsLate: boolean;
  readonly #world = new World();
  readonly #journeys: readonly CallJourney[];
  readonly #random: Random;
  readonly #effects: Effect[] = [];
  /** When the last import into a catalog takes effect. */
  readonly #queuedMs = new Map<string | undefined, number>();
  /** When each session's id was known. */
  readonly #answeredMs = new Map<number, number>();

  constructor(
    service: SimulatedService,
    row: FaultCase | undefined,
    promises: ModelPromises,
    journeys: readonly CallJourney[],
  ) {
    this.#service = service;
    this.#journeys = journeys;
    this.#areEventsLate = promises.areEventsLate === true;
    this.#random = randomStream(service.seed, 'service');
    // A service knows what it does: nothing is left open, and every effect has its instant.
    const own: ModelPromises = {
      ...promises,
      freedoms: service.freedoms,
      importVisibleMs: 0,
      eventsVisibleMs: 0,
      sessionVisibleMs: 0,
      freshnessMs: 0,
      clockSkewMs: 0,
      redeliveredMs: 0,
      mendsShades: service.mendsShades,
      createsEmpty: service.createsEmpty,
      mostEvents: Number.POSITIVE_INFINITY,
    };
    const honest = honestModel(own);
    this.#isAltered = row !== undefined;
    const planned = journeys.map((each) => callOf(each, { status: 200 }));
    const evidence: FaultEvidence = { calls: planned, divergences: [] };
    const altered = row === undefined ? honest : withRow(honest, row, evidence);
    this.#model = this.#decided(altered);
  }

  /** What a fault may lose is lost or not, for good. */
  #decided(altered: Model): Model {
    const world = this.#world;
    const fates = new Map<number, boolean>();
    const isLost = (call: ApiCall): boolean => {
      const known = fates.get(call.n);
      if (known !== undefined) return known;
      const fate = !altered.isCertain(call, world) && this.#random() < 0.5;
      fates.set(call.n, fate);
      return fate;
    };
    return {
      ...altered,
      isCertain: () => true,
      span: (call, of) => {
        const { fromMs, untilMs } = altered.span(call, of);
        const lagMs = call.op === 'analytics' ? this.#service.analyticsLagMs : 0;
        return { fromMs: fromMs - lagMs, untilMs: untilMs - lagMs };
      },
      imports: (shades: readonly SentShade[], call: ApiCall, of: World) =>
        isLost(call) ? [] : altered.imports(shades, call, of),
      events: (events: readonly CallEvent[], call: ApiCall, of: World) =>
        isLost(call) ? [] : altered.events(events, call, of),
      after: (call: ApiCall, of: World) => {
        altered.after(call, of);
        if (call.op === 'interact') this.#decideWrites(call, of);
      },
    };
  }

  /** What a batch may have stored, after the end of its session for one, is stored or not, for good. */
  #decideWrites({ n }: ApiCall, world: World): void {
    const isStored = this.#random() < 0.5;
    for (const { registers } of world.histories.values())
      for (const { writes } of registers.values())
        for (const [at, write] of [...writes.entries()].toReversed()) {
          if (write.call !== n || write.isSure) continue;
          if (isStored) writes[at] = { ...write, isSure: true };
          else writes.splice(at, 1);
        }
  }

  play(): ApiCall[] {
    const calls: ApiCall[] = [];
    for (const journey of this.#journeys.toSorted((a, b) => a.actsMs - b.actsMs)) {
      this.#takeEffects(journey.actsMs);
      const call = this.#serve(journey);
      if (call !== undefined) calls.push(call);
    }
    return calls;
  }

  #takeEffects(untilMs: number): void {
    this.#effects.sort((a, b) => a.atMs - b.atMs);
    while (this.#effects[0] !== undefined && this.#effects[0].atMs <= untilMs) {
      const { atMs, call, said } = this.#effects.shift() as Effect;
      learn(this.#model, this.#world, { ...call, fromMs: atMs, untilMs: atMs }, said);
    }
  }

  /** A call with its answer; undefined where it cannot be sent, since its session was never opened. */
  #serve(journey: CallJourney): ApiCall | undefined {
    const { by, session } = journey.request;
    const isOpen = (n: number): boolean => (this.#answeredMs.get(n) ?? journey.fromMs) < journey.fromMs;
    if (
      (session !== undefined && !isOpen(session)) ||
      ((by.kind === 'token' || by.kind === 'near token') && !isOpen(by.of))
    )
      return undefined;
    const { limited, lost, repeated } = this.#service;
    if (this.#random() < limited) return callOf(journey, { status: 429 });
    const isLost = this.#random() < lost;
    if (isLost && this.#random() < 0.5) return lostOf(journey);
    const at = { ...journey, fromMs: journey.actsMs, untilMs: journey.actsMs };
    const asked = callOf(at, { status: 200 });
    const others = this.#model.instead(asked, this.#world);
    const other = others[Math.floor(this.#random() * (others.length + 1))];
    const answer =
      other?.answer ??
      this.#answer(asked, expectedOf(this.#model, this.#world, this.#model.asked(asked, this.#world)));
    const call = { ...asked, answer };
    const said = saidBy(call);
    const isLate = answer.status === 202 || (this.#areEventsLate && call.op === 'interact');
    const lagMs = isLate ? this.#random() * this.#service.lagMs : 0;
    // Imports into one catalog take effect in their order.
    const queue = call.op === 'import-shades' && isLate ? `${call.catalog}` : undefined;
    const afterMs = (this.#queuedMs.get(queue) ?? 0) + apartMs;
    const atMs = Math.max(lagMs === 0 ? 0 : journey.untilMs + lagMs, afterMs);
    if (atMs <= journey.untilMs) learn(this.#model, this.#world, call, said);
    else {
      this.#effects.push({ atMs, call, said });
      if (queue !== undefined) this.#queuedMs.set(queue, atMs);
    }
    if (this.#random() < repeated)
      this.#effects.push({
        atMs: journey.untilMs + this.#random() * redeliveredMs * 0.9,
        call: again(call),
        said: againSaid(said),
      });
    if (isLost) return lostOf(journey);
    if (this.#world.sessions.has(call.n)) this.#answeredMs.set(call.n, journey.untilMs);
    return callOf(journey, answer);
  }

  /** One of the answers that may be, always the same of those that are equal. */
  #answer(call: ApiCall, expected: Expected): CallAnswer {
    const isTooLarge = (call.events?.length ?? 0) > this.#service.mostEvents;
    const outcome =
      isTooLarge && expected.outcomes.includes('ok') ? 'refused' : this.#outcome(call, expected.outcomes);
    if (outcome !== 'ok') return { status: { ...statuses, void: 503 }[outcome] };
    const status =
      call.op === 'import-shades'
        ? this.#service.importStatus
        : call.op === 'interact' && !this.#areEventsLate
          ? 202
          : 200;
    if (call.form === 'head') return { status };
    const { body, isPage } = this.#body(call, expected);
    return { status, body, ...(isPage && { isPage }) };
  }

  #outcome(call: ApiCall, outcomes: readonly Outcome[]): Outcome {
    const [first = 'failed'] = outcomes;
    if (outcomes.length === 1) return first;
    // What a fault does at times has no rule.
    const isPlain = call.form === undefined && first === 'ok' && this.#isAltered;
    if (isPlain && (call.op !== 'import-shades' || outcomes.some((each) => !importOutcomes.has(each))))
      return outcomes[Math.floor(this.#random() * outcomes.length)] ?? first;
    if (
      call.op === 'import-shades' &&
      first === 'ok' &&
      !isMalformed(call) &&
      (call.shades ?? []).every((each) => !isBadShade(each))
    )
      return 'ok';
    const kind = `${call.op} ${call.form ?? ''} ${call.by.kind} ${outcomes.join()}`;
    return outcomes[Math.floor(randomStream(this.#service.seed, kind)() * outcomes.length)] ?? first;
  }

  #body(call: ApiCall, expected: Expected): { readonly body: unknown; readonly isPage?: boolean } {
    const { fields, numbers } = expected;
    const number = (name: string): number | undefined => numbers[name]?.[1];
    switch (call.op) {
      case 'list-shades': {
        const all = this.#elements(expected.shades, () => 0).map((shade) => this.#spelled(shade));
        const made = expected.shades?.unnamed ?? [];
        all.push(...made.map((_, at) => ({ sku: `made-${at}`, name: '', hex: '#000000', finish: 'matte' })));
        const { pageSize = all.length } = this.#service;
        return { body: { shades: all.slice(0, pageSize) }, isPage: all.length > pageSize };
      }
      case 'create-session': {
        const [soonestMs = 0, latestMs = 0] = numbers.expires_at ?? [];
        const expiresMs = Math.min(latestMs, Math.max(soonestMs, call.fromMs + this.#service.lifetimeMs));
        const id = fields.session_id?.[0] ?? `s${call.n}`;
        const written = instantText(expiresMs, fields['form of expires_at']?.[0]);
        return {
          body: {
            session_id: id,
            token: fields.token?.[0] ?? `t${call.n}`,
            expires_at: written,
            shade_count: number('shade_count'),
          },
        };
      }
      case 'read-session': {
        const order = this.#model.order(this.#service.freedoms.order ?? 'arrival');
        const events = this.#elements<StoredEvent>(expected.events, (a, b) =>
          order(a, b) ? -1 : order(b, a) ? 1 : 0,
        );
        const interactions = events.map(({ atMs, id, sku, type }) => ({
          id,
          type,
          sku,
          at: new Date(atMs).toISOString(),
        }));
        const own = Object.fromEntries(Object.entries(fields).map(([name, [value]]) => [name, value]));
        const { 'form of expires_at': form, expires_at: expires, ...rest } = own;
        const expires_at = typeof expires === 'number' ? instantText(expires, form) : undefined;
        return { body: { ...rest, expires_at, shade_count: number('shade_count'), interactions } };
      }
      case 'analytics': {
        const more = simulatedAnalytics(expected.analytics ?? {}, this.#service, this.#model.free);
        return { body: { total_sessions: number('total_sessions'), ...more } };
      }
      case 'interact':
        return { body: { accepted: number('accepted') } };
      default:
        return { body: {} };
    }
  }

  #elements<Value extends StoredShade | StoredEvent>(
    list: { readonly items: readonly Item<Value>[]; readonly size?: number } | undefined,
    compare: (a: Write<Value>, b: Write<Value>) => number,
  ): Value[] {
    // What is behind is so as a whole.
    const share = this.#random();
    const writes = (list?.items ?? [])
      .map(({ may }) => may[Math.floor(share * may.length)])
      .filter((write) => write?.value !== undefined) as Write<Value>[];
    return writes
      .toSorted(compare)
      .slice(0, list?.size ?? writes.length)
      .map(({ value }) => value as Value);
  }

  #spelled({ isMended, isOfOtherFinish, ...stored }: StoredShade): StoredShade {
    const { hexCase } = this.#service;
    const shade = isOfOtherFinish ? { ...stored, finish: 'matte' } : stored;
    if (isMended === true)
      return { ...shade, name: shade.name ?? '', hex: isColour(shade.hex) ? shade.hex : '#000000' };
    const { hex } = shade;
    if (hexCase === 'kept' || hex === undefined) return shade;
    return { ...shade, hex: hexCase === 'upper' ? hex.toUpperCase() : hex.toLowerCase() };
  }
}

/** What an honest service may answer to an import. */
const importOutcomes: ReadonlySet<Outcome> = new Set<Outcome>(['ok', 'refused', 'missing']);
const statuses = { ok: 200, unauthorized: 401, missing: 404, refused: 422, failed: 500 } as const;

/** The second delivery of a call: its answer is not seen, such as the id of another session. */
const again = (call: ApiCall): ApiCall => (call.op === 'create-session' ? { ...call, n: -1 - call.n } : call);
const againSaid = (said: AnswerSaid): AnswerSaid => ({ ...said, fields: {} });

/** Two hours east of Greenwich. */
const offsetMs = 7_200_000;

/** An instant as a text of a form: the inverse of `instantMs`. */
function instantText(ms: number, form: unknown): string {
  const iso = (at: number): string => (Number.isFinite(at) ? new Date(at).toISOString() : 'never');
  switch (form as InstantForm) {
    case 'with another offset':
      return iso(ms + offsetMs).replace('Z', '+02:00');
    case 'without an offset':
      return iso(ms).replace('Z', '');
    case 'not an instant':
      return String(Math.floor(ms / 1_000));
    default:
      return iso(ms);
  }
}
