import type { CallCredential, CallEvent, CallRequest, SentShade, SessionIdForm } from '../model/call.ts';
import type { Dice } from './dice.ts';
import {
  batchSizes,
  catalogPool,
  eventFlaws,
  hexes,
  idForms,
  importSizes,
  localePool,
  type Oddity,
  oddities,
  oddSkus,
  productPool,
  shadeNames,
} from './pools.ts';

/** Whom the explorer may act for. */
export interface ExplorerKeys {
  /** Labels of keys by account, the first account's first. */
  readonly accounts: readonly (readonly string[])[];
  readonly channel: 'token' | 'key' | 'none';
  /** How many events a batch may have; undefined: any number. */
  readonly mostEvents?: number | undefined;
  readonly locales?: readonly string[] | undefined;
  readonly finishes?: readonly string[] | undefined;
  /** The target promises to refuse malformed events. */
  readonly refusesMalformed?: boolean;
}

/** A session that was asked for, as the explorer remembers it. */
interface DrawnSession {
  readonly n: number;
  readonly account: number;
  readonly key: string;
  readonly catalog: string;
  readonly product: string;
  readonly skus: readonly string[];
  readonly ids: string[];
}

/** What the calls lately were about. */
interface LatelyTouched {
  readonly account?: number;
  readonly catalog?: string;
  readonly session?: DrawnSession;
}

/** Calls that are sent at once. */
export type CallGroup = readonly CallRequest[];

/** Ids of events that are used again and again, within a session and across. */
const sharedIds = 10;
/** Marks an event whose SKU is in no catalog: a batch without it is a batch that should be taken. */
const badIdMark = '-a000-';

/**
 * A seeded walk over the pools: draws calls that are mostly about what was touched lately. It knows what it sent, not
 * what was answered.
 */
export class CallDrawer {
  readonly catalogs: readonly string[];
  readonly products: readonly string[];
  readonly sessions: DrawnSession[] = [];
  readonly #dice: Dice;
  readonly #keys: ExplorerKeys;
  readonly #epochMs: number;
  readonly #run: string;
  readonly #eventIds: readonly string[];
  readonly #held = new Map<string, readonly string[]>();
  readonly #sent: CallRequest[] = [];
  readonly #locales: readonly string[];
  readonly #finishes: readonly string[];
  #recent: LatelyTouched = {};
  #version = 0;

  constructor(dice: Dice, keys: ExplorerKeys, tag: string, epochMs: number) {
    this.#dice = dice;
    this.#keys = keys;
    this.#epochMs = epochMs;
    this.catalogs = catalogPool(tag);
    this.products = productPool(tag);
    this.#run = dice
      .below(2 ** 31)
      .toString(16)
      .padStart(8, '0');
    this.#eventIds = Array.from({ length: sharedIds }, (_, at) => this.#uuid(0xffff, at));
    this.#locales = localePool.filter((each) => keys.locales?.includes(each) ?? true);
    this.#finishes = keys.finishes ?? ['matte'];
  }

  /** The number of the next call. */
  get count(): number {
    return this.#sent.length;
  }

  get hasChannel(): boolean {
    return this.#keys.channel !== 'none';
  }

  /** Counts a call as sent. */
  send(request: CallRequest): CallRequest {
    if (request.op === 'create-session') this.#open(request);
    this.#sent.push(request);
    return request;
  }

  #uuid(call: number, at: number, kind = '8000'): string {
    const hex = (value: number, length: number): string => value.toString(16).padStart(length, '0');
    return `${this.#run}-${hex(call, 4)}-4000-${kind}-${hex(at, 12)}`;
  }

  #accountOf(key: string): number {
    return this.#keys.accounts.findIndex((labels) => labels.includes(key));
  }

  /** A key, of one account if it is given. */
  key(account?: number): string {
    const { accounts } = this.#keys;
    const of = account ?? (this.#dice.odds(0.7) ? 0 : this.#dice.below(accounts.length));
    const labels = accounts[of] ?? [];
    return (labels.length > 1 && this.#dice.odds(0.25) ? labels[1] : labels[0]) ?? '';
  }

  #by(key: string): CallCredential {
    return { kind: 'key', key };
  }

  skusOf(account: number, catalog: string): readonly string[] {
    return this.#held.get(`${account} ${catalog}`) ?? [];
  }

  catalog(): string {
    const { catalog } = this.#recent;
    if (catalog !== undefined && this.#dice.odds(0.5)) return catalog;
    // The last two are first asked for, and exist later.
    return this.#dice.pick(this.catalogs.slice(0, this.count > 100 ? 8 : 6));
  }

  /** Mostly a session touched lately or related to it, now and then an old one. */
  session(): DrawnSession | undefined {
    const { session: last } = this.#recent;
    const chance = this.#dice.below(100);
    if (last !== undefined && chance < 40) return last;
    if (last !== undefined && chance < 60)
      return this.#dice.pick(
        this.sessions.filter(
          ({ catalog, ids, product }) =>
            product === last.product || catalog === last.catalog || ids.some((id) => last.ids.includes(id)),
        ),
      );
    const { length } = this.sessions;
    if (chance < 75) return this.sessions.at(-1 - this.#dice.below(Math.min(5, length)));
    return this.#dice.pick(chance < 88 ? this.sessions.slice(0, 8) : this.sessions);
  }

  #shade(sku: string, namesake?: string): SentShade {
    this.#version += 1;
    const digits = this.#dice.below(0x1000000).toString(16).padStart(6, '0').toUpperCase();
    return {
      sku,
      name: namesake ?? `${this.#dice.deal(shadeNames)} ${this.#version}`,
      hex: this.#dice.odds(0.4) ? this.#dice.deal(hexes) : `#${digits}`,
      finish: this.#dice.pick(this.#finishes),
    };
  }

  /** Shades that every import should be refused for. */
  #badShade(): SentShade {
    const shade = this.#shade('bad');
    return this.#dice.pick<SentShade>([
      { ...shade, hex: 'red' },
      { ...shade, sku: undefined },
      { ...shade, name: undefined },
      // The interface wants the leading #, and leaves open how many digits follow.
      { ...shade, hex: '123456' },
    ]);
  }

  imported(
    wish: {
      key?: string;
      catalog?: string;
      size?: number;
      isClean?: boolean;
      isBad?: boolean;
      isTwice?: boolean;
    } = {},
  ): CallRequest {
    const dice = this.#dice;
    const drawn = wish.size ?? dice.deal(importSizes);
    const size = Math.floor(drawn);
    const isGrowing = wish.size === undefined && size > 100 && dice.odds(0.6);
    // One catalog grows past a thousand shades.
    const key = isGrowing ? this.key(0) : (wish.key ?? this.key());
    const catalog = (isGrowing ? this.catalogs[0] : wish.catalog) ?? this.catalog();
    const account = this.#accountOf(key);
    const odd = Math.min(12, oddSkus.length);
    const first = size > odd ? odd : dice.below(oddSkus.length);
    const bulk = isGrowing || dice.odds(0.3) ? this.skusOf(account, catalog).length : dice.below(4) * 250;
    // Names that are all the same are no key of pages.
    const namesake = size > odd && dice.odds(0.25) ? this.#shade('').name : undefined;
    const rows = Array.from({ length: size }, (_, at) =>
      this.#shade(
        at < first || size <= odd ? (oddSkus[(first + at) % oddSkus.length] ?? '') : `B${bulk + at}`,
        namesake,
      ),
    );
    const isLong = drawn > size;
    const shades = isLong
      ? rows.map((row) => ({ ...row, name: `${'long '.repeat(48)}${row.name?.slice(-10)}` }))
      : rows;
    const some = shades[dice.below(size)]?.sku ?? '';
    if (wish.isTwice ?? (size > 1 && size < 499 && dice.odds(0.15))) shades.push(this.#shade(some));
    if (size > 0 && size < 499 && dice.odds(0.04)) shades[0] = { ...shades[0], name: 'M'.repeat(2_000) };
    const isBad = wish.isBad ?? (wish.isClean !== true && size > 1 && dice.odds(0.12));
    if (isBad) shades[dice.pick([0, size >> 1, size >> 1, size - 1])] = this.#badShade();
    if (!isBad && size <= 500) this.#hold(account, catalog, shades);
    this.#recent = { ...this.#recent, catalog, account };
    return { op: 'import-shades', by: this.#by(key), catalog, shades };
  }

  #hold(account: number, catalog: string, shades: readonly SentShade[]): void {
    const skus = new Set([...this.skusOf(account, catalog), ...shades.map(({ sku }) => sku ?? '')]);
    this.#held.set(`${account} ${catalog}`, [...skus]);
  }

  listed(key?: string, catalog?: string): CallRequest {
    const { account, catalog: recent } = this.#recent;
    const by = this.#by(key ?? this.key(this.#dice.odds(0.2) ? undefined : account));
    const of =
      catalog ?? (recent !== undefined && this.#dice.odds(0.75) ? recent : this.#dice.pick(this.catalogs));
    return { op: 'list-shades', by, catalog: of, isFresh: this.#dice.odds(0.15) };
  }

  created(key = this.key(), catalog = this.catalog()): CallRequest {
    const product = this.#dice.pick(this.products);
    return {
      op: 'create-session',
      by: this.#by(key),
      catalog,
      product,
      locale: this.#dice.deal(this.#locales),
    };
  }

  #open({ by, catalog = '', form, product = '' }: CallRequest): void {
    if (by.kind !== 'key' || form !== undefined) return;
    const account = this.#accountOf(by.key);
    const skus = this.skusOf(account, catalog);
    if (skus.length === 0) return;
    const session = { n: this.count, account, key: by.key, catalog, product, skus, ids: [] };
    this.sessions.push(session);
    this.#recent = { account, catalog, session };
  }

  shown(
    session = this.session(),
    misspelt: SessionIdForm | undefined = this.#dice.odds(0.03) ? this.#dice.deal(idForms) : undefined,
  ): CallRequest {
    const isElsewhere = misspelt === undefined && this.#dice.odds(0.1);
    const by = this.#by(this.key(isElsewhere ? undefined : session?.account));
    return {
      ...{ op: 'read-session', by, session: session?.n ?? -1, isFresh: this.#dice.odds(0.15) },
      ...(misspelt !== undefined && { misspelt }),
    };
  }

  totalled(): CallRequest {
    const { session } = this.#recent;
    const product =
      session !== undefined && this.#dice.odds(0.6) ? session.product : this.#dice.pick(this.products);
    return { op: 'analytics', by: this.#by(this.key()), product };
  }

  acted(
    to = this.session(),
    drawn = this.#dice.deal(batchSizes),
    isBad = this.#dice.odds(drawn > 1 ? 0.2 : 0.04),
    isFlawed = this.#keys.refusesMalformed === true && this.#dice.odds(0.3),
  ): CallRequest {
    if (to === undefined) return this.created();
    const dice = this.#dice;
    const size = Math.min(drawn, this.#keys.mostEvents ?? drawn);
    const all = Array.from({ length: size }, (_, at) => this.#event(to, at));
    // An id always means the same event in one session, so that its repetition is a retry.
    const old = this.#sent
      .filter((each) => each.op === 'interact' && each.session === to.n)
      .flatMap(({ events }) => events ?? []);
    const events = all.map((event) => old.find(({ id }) => id === event.id) ?? event);
    if (isBad) {
      const id = this.#uuid(this.count, 0, badIdMark.slice(1, -1));
      const bad = { id, type: 'shade_selected', sku: dice.pick(to.skus), atMs: this.#nowMs() } as const;
      // Mostly one that its catalog does not have: of no catalog, or of another one alone.
      const held = this.skusOf(to.account, to.catalog);
      const sku = dice.pick(['no-such', 'no-such', ...oddSkus.filter((each) => !held.includes(each))]);
      events[size >> 1] = isFlawed ? { ...bad, flaw: dice.deal(eventFlaws) } : { ...bad, sku };
    }
    to.ids.push(...events.map(({ id }) => id).filter((id) => !to.ids.includes(id)));
    this.#recent = { ...this.#recent, session: to };
    const { channel } = this.#keys;
    const by: CallCredential = channel === 'key' ? this.#by(to.key) : { kind: 'token', of: to.n };
    return { op: 'interact', by, session: to.n, events };
  }

  #nowMs(): number {
    return this.#epochMs + this.count * 20;
  }

  #event({ account, catalog, ids, skus }: DrawnSession, at: number): CallEvent {
    const dice = this.#dice;
    // Now and then a SKU that was imported after the session was opened.
    const known = dice.odds(0.08) ? this.skusOf(account, catalog) : skus;
    const isAgain = ids.length > 0 && dice.odds(0.12);
    const shared = dice.odds(0.2) ? dice.below(sharedIds) : undefined;
    const id = isAgain
      ? dice.pick(ids)
      : shared === undefined
        ? this.#uuid(this.count, at)
        : this.#eventIds[shared];
    const place = this.#eventIds.indexOf(id ?? '');
    const isCart = place >= 0 ? place % 4 === 0 : dice.odds(0.2);
    const hasNoSku = isCart && place < 0 && dice.odds(0.4);
    const sku = place >= 0 ? skus[place % skus.length] : dice.pick(known);
    return {
      id: id ?? '',
      type: isCart ? 'cart_intent' : 'shade_selected',
      ...(!hasNoSku && { sku }),
      atMs:
        place >= 0
          ? this.#epochMs - place * 137
          : this.#nowMs() + at - (dice.odds(0.1) ? dice.below(5_000) : 0),
    };
  }

  /** A batch that was sent before, again: whole, as a retry, or only its valid part. */
  again(): CallRequest {
    const own = ({ by, session }: CallRequest): boolean => by.kind !== 'token' || by.of === session;
    const old = this.#sent.filter(
      (each) =>
        (each.op === 'interact' && own(each) && each.form === undefined) ||
        (each.op === 'import-shades' &&
          each.by.kind === 'key' &&
          each.form === undefined &&
          this.#dice.odds(0.3)),
    );
    if (old.length === 0) return this.acted();
    const lately = old.at(-1 - this.#dice.below(Math.min(6, old.length)));
    const request = (this.#dice.odds(0.6) ? lately : this.#dice.pick(old)) ?? this.acted();
    this.#touch(request);
    return this.#dice.odds(0.4) ? withoutBad(request) : request;
  }

  #touch({ catalog, session }: CallRequest): void {
    const touched = this.sessions.find(({ n }) => n === session);
    this.#recent = {
      ...this.#recent,
      ...(touched !== undefined && { session: touched, account: touched.account }),
      ...(catalog !== undefined && { catalog }),
    };
  }

  any(): CallRequest {
    const of = this.#dice.below(this.hasChannel ? 6 : 5);
    const size = this.#dice.pick([1, 2, 12]);
    const all = [
      () => this.imported({ size }),
      () => this.listed(),
      () => this.created(),
      () => this.shown(),
      () => this.totalled(),
      () => this.acted(),
    ];
    return (all[of] ?? (() => this.listed()))();
  }

  /** A credential that is not good for the request, or a malformed request: mostly about what was touched lately. */
  odd(): CallRequest {
    const oddity = this.#dice.deal(this.hasChannel ? oddities : keyedOddities);
    const base = this.#plain(oddity);
    const by = this.#credential(oddity, base);
    const { form, misspelt } = oddity;
    return { ...base, by, ...(form !== undefined && { form }), ...(misspelt !== undefined && { misspelt }) };
  }

  #plain({ isEmpty = false, op, who }: Oddity): CallRequest {
    switch (op) {
      case 'import-shades':
        return this.imported({ size: isEmpty ? 0 : this.#dice.pick([1, 2, 12]), isClean: who !== 'own' });
      case 'list-shades':
        return this.listed();
      case 'create-session':
        return this.created();
      case 'read-session':
        return this.shown();
      case 'analytics':
        return this.totalled();
      default:
        return this.acted();
    }
  }

  #credential({ keyForm, tokenForm, who }: Oddity, base: CallRequest): CallCredential {
    const key = this.key();
    switch (who) {
      case 'own':
        return base.by;
      case 'none':
        return { kind: 'none' };
      case 'key':
        return this.#by(key);
      case 'near':
        return { kind: 'near', key: this.key(0), form: keyForm ?? 'unknown' };
      case 'token':
        // Of the very session, where one is read: that is what a service may let in.
        return { kind: 'token', of: base.session ?? this.session()?.n ?? -1 };
      case 'near token':
        return { kind: 'near token', of: base.session ?? -1, form: tokenForm ?? 'with a further character' };
      default: {
        const mine = this.sessions.find(({ n }) => n === base.session);
        const isNear = this.#dice.odds(0.5);
        const others = this.sessions.filter(
          (each) => each !== mine && (!isNear || each.account === mine?.account),
        );
        return { kind: 'token', of: (others.length > 0 ? this.#dice.pick(others) : mine)?.n ?? -1 };
      }
    }
  }

  /** Several at once about one thing, or about things that are alike. */
  overlap(): CallGroup {
    const dice = this.#dice;
    const size = 2 + dice.below(7);
    const catalog = this.catalog();
    const key = this.key();
    const session = this.session();
    const few = (): number => dice.pick([1, 2, 5, 12]);
    const kinds: readonly (() => CallRequest)[] = [
      () => this.imported({ key, catalog, size: few() }),
      () =>
        dice.odds(0.5)
          ? this.imported({ key, catalog, size: dice.pick([1, 12, 30, 120]) })
          : this.listed(key, catalog),
      () => this.created(key, catalog),
      () => this.created(),
      () => this.listed(this.key(dice.below(this.#keys.accounts.length)), catalog),
      () => this.shown(),
      () => this.any(),
      ...(this.hasChannel
        ? [
            () => this.acted(session, dice.pick([1, 2, 5])),
            () => this.acted(this.session(), 1),
            () => (dice.odds(0.6) ? this.acted(session, 1) : this.shown(session)),
            () =>
              this.#sent.findLast(({ op, session: of }) => op === 'interact' && of === session?.n) ??
              this.any(),
          ]
        : []),
    ];
    const kind = dice.pick(kinds);
    return Array.from({ length: size }, () => this.send(kind()));
  }

  /** Several imports and lists of one catalog at once. */
  overlapOfShades(sizes: readonly number[]): CallGroup {
    const dice = this.#dice;
    const [catalog, key] = [this.catalog(), this.key()];
    return Array.from({ length: 2 + dice.below(4) }, () =>
      this.send(
        dice.odds(0.6) ? this.imported({ key, catalog, size: dice.deal(sizes) }) : this.listed(key, catalog),
      ),
    );
  }

  /** Reads what a group has changed. */
  readOf([first]: CallGroup): CallRequest {
    return first?.op === 'import-shades' ? this.listed() : this.shown(this.#recent.session);
  }
}

const keyedOddities = oddities.filter(({ op }) => op !== 'interact');

/** A batch without its event of an unknown SKU. */
export function withoutBad(request: CallRequest): CallRequest {
  const { events } = request;
  return events === undefined
    ? request
    : { ...request, events: events.filter(({ id }) => !id.includes(badIdMark)) };
}
