import { saidBy } from '../../../model/answer.ts';
import {
  type ApiCall,
  hasBadEvent,
  isMalformed,
  isOversize,
  keyOf,
  mostShades,
  outcomeOf,
  type SentShade,
} from '../../../model/call.ts';
import type { Divergence } from '../../../model/judge.ts';
import { hasBadShade } from '../../../model/stages.ts';
import type { CheckId } from '../../../vocabulary/check-ids.ts';

/** The explorer's calls, as far as one of them says which check another is about. */
export class ExploredContext {
  readonly #byNumber: ReadonlyMap<number, ApiCall>;
  readonly #imports: ReadonlyMap<string, readonly ApiCall[]>;
  readonly #batches: ReadonlyMap<number, readonly ApiCall[]>;
  readonly #reads: ReadonlyMap<number, readonly ApiCall[]>;

  constructor(calls: readonly ApiCall[]) {
    const of = (op: ApiCall['op']): readonly ApiCall[] => calls.filter((call) => call.op === op);
    this.#byNumber = new Map(calls.map((call) => [call.n, call]));
    this.#imports = Map.groupBy(of('import-shades'), ({ catalog = '' }) => catalog);
    this.#batches = Map.groupBy(of('interact'), ({ session = -1 }) => session);
    this.#reads = Map.groupBy(of('read-session'), ({ session = -1 }) => session);
  }

  call(n: number): ApiCall | undefined {
    return this.#byNumber.get(n);
  }

  /** The other imports into a catalog that were sent before a call ended. */
  imports({ catalog = '', n, untilMs }: ApiCall): readonly ApiCall[] {
    return (this.#imports.get(catalog) ?? []).filter((each) => each.n !== n && each.fromMs < untilMs);
  }

  /** The other batches of events for a session that were sent before a call ended. */
  batches({ n, session = -1, untilMs }: ApiCall): readonly ApiCall[] {
    return (this.#batches.get(session) ?? []).filter((each) => each.n !== n && each.fromMs < untilMs);
  }

  /** The earlier answers to a read of the same session, as far as they show events. */
  readsBefore({ fromMs, session = -1 }: ApiCall): readonly ApiCall[] {
    return (this.#reads.get(session) ?? []).filter(
      (each) => each.untilMs <= fromMs && (saidBy(each).events?.length ?? 0) > 0,
    );
  }

  /** Whether the session of a call is of another key than the call's, or its catalog was imported with another one alone. */
  isForeign(call: ApiCall): boolean {
    const key = keyOf(call);
    const opener = this.call(call.session ?? -1);
    if (opener !== undefined) return key !== undefined && keyOf(opener) !== key;
    const imports = this.imports(call).filter(({ by }) => by.kind === 'key');
    return key !== undefined && imports.length > 0 && imports.every((each) => keyOf(each) !== key);
  }
}

const overlaps = (a: ApiCall, b: ApiCall): boolean => a.fromMs < b.untilMs && b.fromMs < a.untilMs;
const skusOf = ({ shades = [] }: ApiCall): readonly string[] => shades.flatMap(({ sku }) => sku ?? []);
const repeatsSku = (call: ApiCall): boolean => new Set(skusOf(call)).size < skusOf(call).length;
const isPlain = ({ by, form }: ApiCall): boolean => by.kind === 'key' && form === undefined;
const isImport = (call: ApiCall): boolean => call.op === 'import-shades' && isPlain(call);
const hasUnusualName = ({ shades = [] }: ApiCall): boolean =>
  shades.some(({ name = '' }) => name.length > 100 || /[^ -~]|[<>"'&%]/.test(name));
const isOwnToken = ({ by, session }: ApiCall): boolean =>
  by.kind === 'token' ? by.of === session : by.kind !== 'near token';
const idsOf = ({ events = [] }: ApiCall): readonly string[] => events.map(({ id }) => id);

/** Whether a batch names a SKU that no call imported into the catalog of its session. */
function namesUnknownSku(call: ApiCall, context: ExploredContext): boolean {
  const opener = context.call(call.session ?? -1);
  if (call.op !== 'interact' || opener === undefined) return false;
  const known = new Set(context.imports({ ...opener, untilMs: call.untilMs }).flatMap(skusOf));
  return (call.events ?? []).some(({ sku }) => sku !== undefined && !known.has(sku));
}

/** A check that the explorer's calls decide. */
interface ExploredCheck {
  readonly id: CheckId;
  /** The calls whose answers decide it. */
  readonly isAbout: (call: ApiCall, context: ExploredContext) => boolean;
}

/** Of the checks that a call is about, the most particular one comes first: a refused credential is refused for that. */
const particularChecks: readonly ExploredCheck[] = [
  { id: 'contract.auth', isAbout: ({ by }) => by.kind === 'none' || isUnknown(by) },
  {
    id: 'contract.near-keys',
    isAbout: ({ by, op }) =>
      (by.kind === 'near' && !isUnknown(by)) || (by.kind === 'token' && op !== 'interact'),
  },
  {
    id: 'contract.acts-other-token',
    isAbout: (call) => call.op === 'interact' && call.by.kind === 'token' && !isOwnToken(call),
  },
  { id: 'contract.acts-altered-token', isAbout: ({ by }) => by.kind === 'near token' },
  { id: 'contract.malformed-requests', isAbout: (call) => isMalformed(call) || hasBadEvent(call) },
  { id: 'contract.tenancy', isAbout: (call, context) => isPlain(call) && context.isForeign(call) },
  {
    id: 'contract.not-found',
    isAbout: (call, context) =>
      isPlain(call) &&
      (call.misspelt !== undefined ||
        ((call.op === 'list-shades' || call.op === 'create-session') && context.imports(call).length === 0)),
  },
  { id: 'contract.batch-over', isAbout: (call) => isImport(call) && isOversize(call) },
  { id: 'contract.batch-malformed', isAbout: (call) => isImport(call) && hasBadShade(call) },
  { id: 'contract.batch-max', isAbout: (call) => isImport(call) && call.shades?.length === mostShades },
  {
    id: 'contract.acts-unknown-sku',
    isAbout: namesUnknownSku,
  },
  { id: 'contract.sku-twice', isAbout: (call) => isImport(call) && repeatsSku(call) },
  {
    id: 'contract.imports-at-once',
    isAbout: (call, context) => isImport(call) && context.imports(call).some((each) => overlaps(each, call)),
  },
  {
    id: 'contract.import-again',
    isAbout: (call, context) => {
      const skus = new Set(skusOf(call));
      return (
        isImport(call) && context.imports(call).some((each) => skusOf(each).some((sku) => skus.has(sku)))
      );
    },
  },
  {
    id: 'contract.acts-at-once',
    isAbout: (call, context) =>
      call.op === 'interact' && context.batches(call).some((each) => overlaps(each, call)),
  },
  {
    id: 'contract.acts-again',
    isAbout: (call, context) => {
      const ids = new Set(idsOf(call));
      return (
        call.op === 'interact' && context.batches(call).some((each) => idsOf(each).some((id) => ids.has(id)))
      );
    },
  },
];

/** The checks that the explorer's calls decide, each with the calls that it is about. */
export const exploredChecks: readonly ExploredCheck[] = [
  ...particularChecks,
  { id: 'contract.catalog', isAbout: (call) => call.op === 'list-shades' && isPlain(call) },
  {
    id: 'contract.names',
    isAbout: (call, context) =>
      call.op === 'list-shades' && isPlain(call) && context.imports(call).some(hasUnusualName),
  },
  {
    id: 'contract.import-update',
    isAbout: (call, context) =>
      call.op === 'list-shades' && isPlain(call) && context.imports(call).length > 1,
  },
  { id: 'contract.shade-count', isAbout: (call) => call.op === 'create-session' && isPlain(call) },
  {
    id: 'contract.expiry',
    isAbout: (call) =>
      call.op === 'create-session' && isPlain(call) && typeof saidBy(call).fields.expires_at === 'number',
  },
  { id: 'contract.canary', isAbout: (call) => call.op === 'read-session' && isPlain(call) },
  {
    id: 'contract.reads-agree',
    isAbout: (call, context) =>
      call.op === 'read-session' && isPlain(call) && context.readsBefore(call).length > 0,
  },
  {
    id: 'contract.history',
    isAbout: (call, context) =>
      call.op === 'read-session' && isPlain(call) && context.batches(call).length > 0,
  },
  { id: 'contract.totals', isAbout: (call) => call.op === 'analytics' && isPlain(call) },
];

const isUnknown = (by: ApiCall['by']): boolean => by.kind === 'near' && by.form === 'unknown';

/** The check that a wrong answer fails: that of the promise which it breaks. */
export function checkOf(divergence: Divergence, context: ExploredContext): CheckId {
  const call = context.call(divergence.call);
  if (call === undefined) return 'contract.answers';
  switch (divergence.kind) {
    case 'status':
      return ofStatus(call, divergence, context);
    case 'number':
      if (namesUnknownSku(call, context)) return 'contract.acts-unknown-sku';
      return numberChecks[divergence.of.split(':')[0] ?? ''] ?? 'contract.canary';
    case 'field':
      return divergence.of.endsWith('expires_at') ? 'contract.expiry' : 'contract.canary';
    case 'id twice':
      return 'contract.canary';
    default:
      return call.op === 'list-shades'
        ? ofShade(call, divergence, context)
        : ofEvent(call, divergence, context);
  }
}

const numberChecks: Readonly<Record<string, CheckId>> = {
  shade_count: 'contract.shade-count',
  expires_at: 'contract.expiry',
  total_sessions: 'contract.totals',
  avg_shades_per_session: 'analytics.avg-shades',
  cart_intent_rate: 'analytics.cart-intent',
  top_shades: 'analytics.top-shades',
  accepted: 'contract.acts-again',
};

function ofStatus(call: ApiCall, { of }: Divergence, context: ExploredContext): CheckId {
  const particular = particularChecks.find(({ isAbout }) => isAbout(call, context))?.id;
  // A 5xx is one, whatever was asked. What cannot be read may break a service; that it is not available says nothing of it.
  if (of === 'failed' && (particular !== 'contract.malformed-requests' || call.answer.status > 501))
    return 'contract.errors';
  // A key on a channel of tokens.
  if (call.op === 'interact' && call.by.kind === 'key') return 'contract.auth';
  if (particular !== undefined) return particular;
  if (call.op === 'list-shades') {
    // Listed is what should not be there, or not listed what should.
    const wrong = of === 'ok' ? context.imports(call).flatMap((each) => ofSource(each, call) ?? []) : [];
    return wrong[0] ?? 'contract.catalog';
  }
  return opChecks[call.op] ?? 'contract.canary';
}

const opChecks: { readonly [Op in ApiCall['op']]?: CheckId } = {
  'import-shades': 'contract.catalog',
  interact: 'contract.history',
  analytics: 'contract.totals',
};

function ofShade(call: ApiCall, { got, kind, of }: Divergence, context: ExploredContext): CheckId {
  const shown = shadeIn(got);
  const sku = shown?.sku ?? of;
  const writers = context.imports(call).filter((each) => skusOf(each).includes(sku));
  const some = (is: (each: ApiCall) => boolean): boolean => writers.some(is);
  // The import that sent what is shown.
  const source = writers.findLast(({ shades = [] }) =>
    shades.some((each) => each.sku === sku && each.name === shown?.name && each.hex === shown?.hex),
  );
  const wrongSource = source === undefined ? undefined : ofSource(source, call);
  switch (kind) {
    case 'missing':
      if (some((each) => context.imports(each).some((other) => overlaps(each, other))))
        return 'contract.imports-at-once';
      return some(({ shades = [] }) => shades.length === mostShades)
        ? 'contract.batch-max'
        : 'contract.catalog';
    case 'extra':
      return wrongSource ?? 'contract.catalog';
    case 'twice':
      return some(repeatsSku) ? 'contract.sku-twice' : 'contract.import-again';
    case 'value':
      if (wrongSource !== undefined) return wrongSource;
      if (writers.length > 1) return 'contract.import-update';
      return of.includes('name') && some(hasUnusualName) ? 'contract.names' : 'contract.catalog';
    default:
      return 'contract.catalog';
  }
}

/** What an import breaks whose shades should not be shown to a call; undefined where they may be. */
function ofSource(source: ApiCall, call: ApiCall): CheckId | undefined {
  if (source.by.kind !== 'key') return 'contract.auth';
  if (keyOf(source) !== keyOf(call)) return 'contract.tenancy';
  if (isOversize(source)) return 'contract.batch-over';
  return outcomeOf(source) === 'refused' ? 'contract.batch-malformed' : undefined;
}

const shadeIn = (got: unknown): SentShade | undefined =>
  typeof got === 'object' && got !== null && 'sku' in got ? (got as SentShade) : undefined;

function ofEvent(call: ApiCall, { kind, of }: Divergence, context: ExploredContext): CheckId {
  const writers = context.batches(call).filter((each) => idsOf(each).includes(of));
  const refused = writers.filter((each) => outcomeOf(each) !== 'ok');
  const wasShown = (): boolean =>
    context.readsBefore(call).some((each) => saidBy(each).events?.some(({ id }) => id === of));
  switch (kind) {
    case 'missing':
      return writers.some((each) => context.batches(each).some((other) => overlaps(each, other)))
        ? 'contract.acts-at-once'
        : wasShown()
          ? 'contract.reads-agree'
          : 'contract.history';
    case 'extra':
      if (writers.some(({ by }) => by.kind === 'near token')) return 'contract.acts-altered-token';
      if (writers.some((each) => !isOwnToken(each))) return 'contract.acts-other-token';
      if (writers.some(({ by }) => by.kind === 'none' || by.kind === 'near')) return 'contract.auth';
      if (refused.some(hasBadEvent)) return 'contract.malformed-requests';
      return writers.length > 0 &&
        writers.every((each) => refused.includes(each) || namesUnknownSku(each, context))
        ? 'contract.acts-unknown-sku'
        : 'contract.history';
    case 'twice':
      return writers.length > 1 ? 'contract.acts-again' : 'contract.history';
    default:
      return 'contract.history';
  }
}
