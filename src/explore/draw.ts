import type { CallCredential, CallEvent, CallRequest, SentShade, SessionIdForm } from '../model/call.ts';
import type { Dice } from './dice.ts';
import {
  batchSizes,
  eventFlaws,
  hexes,
  idForms,
  importSizes,
  localePool,
  oddSkus,
  shadeNames,
} from './pools.ts';
import { type CallGroup, type DrawnSession, type ExplorerKeys, SentCalls } from './sent.ts';

/** Ids of events that are used again and again, within a session and across. */
const sharedIds = 10;
/** Marks an event whose SKU is in no catalog: a batch without it is a batch that should be taken. */
const badIdMark = '-a000-';

const plainOps = ['import-shades', 'list-shades', 'create-session', 'read-session', 'analytics'] as const;

export const byKey = (key: string): CallCredential => ({ kind: 'key', key });

/** A seeded walk over the pools: draws calls that are mostly about what was touched lately. */
export class CallDrawer extends SentCalls {
  readonly dice: Dice;
  readonly #epochMs: number;
  readonly #run: string;
  readonly #eventIds: readonly string[];
  readonly #locales: readonly string[];
  readonly #finishes: readonly string[];
  #version = 0;

  constructor(dice: Dice, keys: ExplorerKeys, tag: string, epochMs: number) {
    super(keys, tag);
    this.dice = dice;
    this.#epochMs = epochMs;
    this.#run = dice
      .below(2 ** 31)
      .toString(16)
      .padStart(8, '0');
    this.#eventIds = Array.from({ length: sharedIds }, (_, at) => this.#uuid(0xffff, at));
    this.#locales = localePool.filter((each) => keys.locales?.includes(each) ?? true);
    this.#finishes = keys.finishes ?? ['matte'];
  }

  #uuid(call: number, at: number, kind = '8000'): string {
    const hex = (value: number, length: number): string => value.toString(16).padStart(length, '0');
    return `${this.#run}-${hex(call, 4)}-4000-${kind}-${hex(at, 12)}`;
  }

  /** A key, of one account if it is given. */
  key(account?: number): string {
    const { accounts } = this.keys;
    const of = account ?? (this.dice.odds(0.7) ? 0 : this.dice.below(accounts.length));
    const labels = accounts[of] ?? [];
    return (labels.length > 1 && this.dice.odds(0.25) ? labels[1] : labels[0]) ?? '';
  }

  catalog(): string {
    const { catalog } = this.recent;
    if (catalog !== undefined && this.dice.odds(0.5)) return catalog;
    // The last two are first asked for, and exist later.
    return this.dice.pick(this.catalogs.slice(0, this.count > 100 ? 8 : 6));
  }

  /** Mostly a session touched lately or related to it, now and then an old one. */
  session(): DrawnSession | undefined {
    const { session: last } = this.recent;
    const chance = this.dice.below(100);
    if (last !== undefined && chance < 40) return last;
    if (last !== undefined && chance < 60)
      return this.dice.pick(
        this.sessions.filter(
          ({ catalog, ids, product }) =>
            product === last.product || catalog === last.catalog || ids.some((id) => last.ids.includes(id)),
        ),
      );
    const { length } = this.sessions;
    if (chance < 75) return this.sessions.at(-1 - this.dice.below(Math.min(5, length)));
    return this.dice.pick(chance < 88 ? this.sessions.slice(0, 8) : this.sessions);
  }

  #shade(sku: string, namesake?: string): SentShade {
    this.#version += 1;
    const digits = this.dice.below(0x1000000).toString(16).padStart(6, '0').toUpperCase();
    return {
      sku,
      name: namesake ?? `${this.dice.deal(shadeNames)} ${this.#version}`,
      hex: this.dice.odds(0.4) ? this.dice.deal(hexes) : `#${digits}`,
      finish: this.dice.pick(this.#finishes),
    };
  }

  /** Shades that every import should be refused for. */
  #badShade(): SentShade {
    const shade = this.#shade('bad');
    return this.dice.pick<SentShade>([
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
    const dice = this.dice;
    const drawn = wish.size ?? dice.deal(importSizes);
    const size = Math.floor(drawn);
    const isGrowing = wish.size === undefined && size > 100 && dice.odds(0.6);
    // One catalog grows past a thousand shades.
    const key = isGrowing ? this.key(0) : (wish.key ?? this.key());
    const catalog = (isGrowing ? this.catalogs[0] : wish.catalog) ?? this.catalog();
    const account = this.accountOf(key);
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
    if (!isBad && size <= 500) this.addShades(account, catalog, shades);
    this.recent = { ...this.recent, catalog, account };
    return { op: 'import-shades', by: byKey(key), catalog, shades };
  }

  /** One shade, with new values; but for a field that keeps its own. */
  importedAs(
    key: string,
    catalog: string,
    sku: string,
    { finish, kept }: { readonly kept?: 'name' | 'hex'; readonly finish?: string | undefined } = {},
  ): CallRequest {
    const former = this.sent.findLast(({ shades }) => shades?.length === 1 && shades[0]?.sku === sku);
    const own = kept && { [kept]: former?.shades?.[0]?.[kept] };
    const shades = [{ ...this.#shade(sku), ...own, ...(finish !== undefined && { finish }) }];
    this.addShades(this.accountOf(key), catalog, shades);
    return { op: 'import-shades', by: byKey(key), catalog, shades };
  }

  listed(key?: string, catalog?: string): CallRequest {
    const { account, catalog: recent } = this.recent;
    const by = byKey(key ?? this.key(this.dice.odds(0.2) ? undefined : account));
    const of =
      catalog ?? (recent !== undefined && this.dice.odds(0.75) ? recent : this.dice.pick(this.catalogs));
    return { op: 'list-shades', by, catalog: of, isFresh: this.dice.odds(0.15) };
  }

  created(key = this.key(), catalog = this.catalog()): CallRequest {
    const product = this.dice.pick(this.products);
    return {
      op: 'create-session',
      by: byKey(key),
      catalog,
      product,
      locale: this.dice.deal(this.#locales),
    };
  }

  shown(
    session = this.session(),
    misspelt: SessionIdForm | undefined = this.dice.odds(0.03) ? this.dice.deal(idForms) : undefined,
  ): CallRequest {
    const isElsewhere = misspelt === undefined && this.dice.odds(0.1);
    const by = byKey(this.key(isElsewhere ? undefined : session?.account));
    return {
      ...{ op: 'read-session', by, session: session?.n ?? -1, isFresh: this.dice.odds(0.15) },
      ...(misspelt !== undefined && { misspelt }),
    };
  }

  totalled(): CallRequest {
    const { session } = this.recent;
    const product =
      session !== undefined && this.dice.odds(0.6) ? session.product : this.dice.pick(this.products);
    return { op: 'analytics', by: byKey(this.key()), product };
  }

  acted(
    to = this.session(),
    drawn = this.dice.deal(batchSizes),
    isBad = this.dice.odds(drawn > 1 ? 0.2 : 0.04),
    isFlawed = this.keys.refusesMalformed === true && this.dice.odds(0.3),
    only?: string,
  ): CallRequest {
    if (to === undefined) return this.created();
    const dice = this.dice;
    const size = Math.min(drawn, this.keys.mostEvents ?? drawn);
    const all = Array.from(
      { length: size },
      (_, at): CallEvent =>
        only === undefined
          ? this.#event(to, at)
          : { id: this.#uuid(this.count, at), type: 'shade_selected', sku: only, atMs: this.#nowMs() + at },
    );
    // An id always means the same event in one session, so that its repetition is a retry.
    const old = this.sent
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
    this.recent = { ...this.recent, session: to };
    const { channel } = this.keys;
    const by: CallCredential = channel === 'key' ? byKey(to.key) : { kind: 'token', of: to.n };
    return { op: 'interact', by, session: to.n, events };
  }

  #nowMs(): number {
    return this.#epochMs + this.count * 20;
  }

  #event({ account, catalog, ids, skus }: DrawnSession, at: number): CallEvent {
    const dice = this.dice;
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
    const old = this.sent.filter(
      (each) =>
        (each.op === 'interact' && own(each) && each.form === undefined) ||
        (each.op === 'import-shades' &&
          each.by.kind === 'key' &&
          each.form === undefined &&
          this.dice.odds(0.3)),
    );
    if (old.length === 0) return this.acted();
    const lately = old.at(-1 - this.dice.below(Math.min(6, old.length)));
    const request = (this.dice.odds(0.6) ? lately : this.dice.pick(old)) ?? this.acted();
    this.touch(request);
    return this.dice.odds(0.4) ? withoutBad(request) : request;
  }

  /** A call of a kind: any, unless one is given. */
  any(
    op = this.dice.pick([...plainOps, ...(this.hasChannel ? (['interact'] as const) : [])]),
    imported: Parameters<CallDrawer['imported']>[0] = {},
  ): CallRequest {
    switch (op) {
      case 'import-shades':
        return this.imported({ size: this.dice.pick([1, 2, 12]), ...imported });
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

  /** Reads what a group has changed. */
  readOf([first]: CallGroup): CallRequest {
    return first?.op === 'import-shades' ? this.listed() : this.shown(this.recent.session);
  }
}

/** A batch without its event of an unknown SKU. */
export function withoutBad(request: CallRequest): CallRequest {
  const { events } = request;
  return events === undefined
    ? request
    : { ...request, events: events.filter(({ id }) => !id.includes(badIdMark)) };
}
