import type { CallRequest, SentShade } from '../model/call.ts';
import { catalogPool, productPool } from './pools.ts';

/** Calls that are sent at once. */
export type CallGroup = readonly CallRequest[];

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
export interface DrawnSession {
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

/** What the explorer has sent. It does not know what was answered. */
export class SentCalls {
  readonly catalogs: readonly string[];
  readonly products: readonly string[];
  readonly sessions: DrawnSession[] = [];
  readonly keys: ExplorerKeys;
  protected readonly sent: CallRequest[] = [];
  protected recent: LatelyTouched = {};
  readonly #skus = new Map<string, readonly string[]>();

  constructor(keys: ExplorerKeys, tag: string) {
    this.keys = keys;
    this.catalogs = catalogPool(tag);
    this.products = productPool(tag);
  }

  get hasChannel(): boolean {
    return this.keys.channel !== 'none';
  }

  /** The number of the next call. */
  get count(): number {
    return this.sent.length;
  }

  /** Counts a call as sent. */
  send(request: CallRequest): CallRequest {
    if (request.op === 'create-session') this.#open(request);
    this.sent.push(request);
    return request;
  }

  #open({ by, catalog = '', form, product = '' }: CallRequest): void {
    if (by.kind !== 'key' || form !== undefined) return;
    const account = this.accountOf(by.key);
    const skus = this.skusOf(account, catalog);
    if (skus.length === 0) return;
    const session = { n: this.count, account, key: by.key, catalog, product, skus, ids: [] };
    this.sessions.push(session);
    this.recent = { account, catalog, session };
  }

  accountOf(key: string): number {
    return this.keys.accounts.findIndex((labels) => labels.includes(key));
  }

  /** The SKUs that a catalog of an account has, if every valid import was taken. */
  skusOf(account: number, catalog: string): readonly string[] {
    return this.#skus.get(`${account} ${catalog}`) ?? [];
  }

  protected addShades(account: number, catalog: string, shades: readonly SentShade[]): void {
    const skus = new Set([...this.skusOf(account, catalog), ...shades.map(({ sku }) => sku ?? '')]);
    this.#skus.set(`${account} ${catalog}`, [...skus]);
  }

  /** The last batch of a session. */
  lastBatch(session: DrawnSession | undefined): CallRequest | undefined {
    return this.sent.findLast(({ op, session: of }) => op === 'interact' && of === session?.n);
  }

  protected touch({ catalog, session }: CallRequest): void {
    const touched = this.sessions.find(({ n }) => n === session);
    this.recent = {
      ...this.recent,
      ...(touched !== undefined && { session: touched, account: touched.account }),
      ...(catalog !== undefined && { catalog }),
    };
  }
}
