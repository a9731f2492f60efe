import { z } from 'zod';
import { counted } from '../amounts.ts';
import type { ShopperSettingsInput } from './shoppers/settings.ts';

/** The part of an HTTP Archive (HAR 1.2) that is read; a browser's network panel saves one. */
export const harSchema = z.object({
  log: z.object({
    entries: z.array(
      z.object({
        /** When the request began: ISO 8601. */
        startedDateTime: z.iso.datetime({ offset: true }),
        request: z.object({
          method: z.string(),
          url: z.url(),
          postData: z.object({ text: z.string().optional() }).optional(),
        }),
        response: z.object({
          status: z.number(),
          content: z.object({ text: z.string().optional(), encoding: z.string().optional() }).optional(),
        }),
      }),
    ),
  }),
});

type Entry = z.output<typeof harSchema>['log']['entries'][number];

const openedSchema = z.object({ session_id: z.string() });
const wantedSchema = z.object({ locale: z.string().optional() });
const eventSchema = z.object({
  type: z.enum(['shade_selected', 'cart_intent']),
  sku: z.string().optional(),
});

/** What shoppers did in a recording, as settings of a scenario, and what of it no scenario says. */
export interface RecordedShoppers {
  readonly settings: ShopperSettingsInput;
  /** Shoppers in a minute; undefined where the recording has one. */
  readonly perMinute: number | undefined;
  readonly sessions: number;
  readonly events: number;
  /** Requests that are not sent, by method and path: what it was, and how many. */
  readonly leftOut: ReadonlyMap<string, number>;
}

interface RecordedVisit {
  readonly openedMs: number;
  readonly locale: string | undefined;
  hasListed: boolean;
  hasReadBack: boolean;
  /** Of each request with events: when, and which. */
  readonly acts: { readonly atMs: number; readonly events: readonly z.output<typeof eventSchema>[] }[];
}

/** A list of shades this long before a session, at most, is of the same page. */
const samePageMs = 10_000;

/** Reads what the sessions of a recording did. An event is known by its type, whatever the channel: the interface shows none. */
export function shoppersOf({ log }: z.output<typeof harSchema>): RecordedShoppers {
  const entries = log.entries.toSorted((a, b) => startOf(a) - startOf(b));
  const visits = new Map<string, RecordedVisit>();
  const leftOut = new Map<string, number>();
  const pagesMs: number[] = [];
  let listedMs: number | undefined;
  for (const entry of entries) {
    const { pathname } = new URL(entry.request.url);
    const path = pathname.replace(/.*?(\/(?:sessions|shades|analytics)\b)/, '$1');
    const what = `${entry.request.method} ${path}`;
    const atMs = startOf(entry);
    const isGood = entry.response.status >= 200 && entry.response.status < 300;
    const opened = what === 'POST /sessions' && isGood ? answerOf(entry, openedSchema) : undefined;
    const events = eventsIn(parsed(entry.request.postData?.text));
    const visit = [...visits].findLast(([id]) => pathname.includes(id))?.[1];
    if (opened !== undefined) {
      const isListed = listedMs !== undefined && atMs - listedMs <= samePageMs;
      if (isListed) pagesMs.push(atMs - (listedMs ?? atMs));
      const { locale } = wantedSchema.safeParse(parsed(entry.request.postData?.text)).data ?? {};
      visits.set(opened.session_id, {
        ...{ openedMs: atMs, locale, hasListed: isListed, hasReadBack: false, acts: [] },
      });
      listedMs = undefined;
    } else if (what === 'GET /shades' && isGood) listedMs = atMs;
    else if (events.length > 0 && isGood && visits.size > 0)
      (visit ?? [...visits.values()].at(-1))?.acts.push({ atMs, events });
    else if (visit !== undefined && entry.request.method === 'GET' && isGood) visit.hasReadBack = true;
    else {
      const place = path.replace(/^(\/sessions\/)[^/]+/, '$1{id}');
      const name = `${entry.request.method} ${place}${isGood ? '' : `, answered with ${entry.response.status}`}`;
      leftOut.set(name, (leftOut.get(name) ?? 0) + 1);
    }
  }
  const all = [...visits.values()];
  const spanMs = (all.at(-1)?.openedMs ?? 0) - (all[0]?.openedMs ?? 0);
  return {
    settings: settingsOf(all, pagesMs),
    perMinute: all.length < 2 || spanMs === 0 ? undefined : ((all.length - 1) / spanMs) * 60_000,
    sessions: all.length,
    events: all.flatMap(({ acts }) => acts.flatMap(({ events }) => events)).length,
    leftOut,
  };
}

/** Figures that the recording shows; the others keep their defaults. */
function settingsOf(visits: readonly RecordedVisit[], pagesMs: readonly number[]): ShopperSettingsInput {
  if (visits.length === 0) return {};
  const share = (some: readonly unknown[], of: readonly unknown[] = visits): number =>
    rounded(some.length / of.length);
  const selected = visits.map(({ acts }) =>
    acts.flatMap(({ events }) => events).filter(({ type }) => type === 'shade_selected'),
  );
  const tried = selected.map((events) => new Set(events.map(({ sku }) => sku)).size).filter((n) => n > 0);
  const selections = selected.flat().length;
  const inCart = visits.filter(({ acts }) =>
    acts.some(({ events }) => events.some(({ type }) => type === 'cart_intent')),
  );
  const thinkMs = visits.flatMap(({ acts, openedMs }) =>
    acts.map(({ atMs }, at) => Math.max(1, atMs - (acts[at - 1]?.atMs ?? openedMs))),
  );
  const sizes = visits.flatMap(({ acts }) => acts.map(({ events }) => events.length));
  const locales = visits.flatMap(({ locale }) =>
    /^[a-z]{2}-[A-Z]{2}$/.test(locale ?? '') ? [locale ?? ''] : [],
  );
  const bounce = share(visits.filter(({ acts }) => acts.length === 0));
  return {
    bounce,
    ...(tried.length > 0 && {
      shadesTried: { median: middle(tried), mean: rounded(Math.max(middle(tried), mean(tried))) },
      reselect: Math.min(0.9, rounded(1 - tried.reduce((sum, n) => sum + n, 0) / selections)),
    }),
    cartIntent: { rate: Math.min(share(inCart), rounded(1 - bounce)) },
    ...(thinkMs.length > 0 && { thinkMedian: Math.round(middle(thinkMs)) }),
    // The scatter of two times says nothing.
    ...(thinkMs.length > 2 && { thinkSigma: Math.min(3, rounded(scatter(thinkMs.map(Math.log)))) }),
    ...(pagesMs.length > 0 && { pageMedian: Math.round(middle(pagesMs)) }),
    ...(sizes.some((size) => size === 1) && {
      actsPerRequest: [1, 2, 3].map(
        (n) => sizes.filter((size) => (n === 3 ? size >= 3 : size === n)).length,
      ) as [number, number, number],
    }),
    listShades: share(visits.filter(({ hasListed }) => hasListed)),
    ...(inCart.length > 0 && {
      readBack: share(
        inCart.filter(({ hasReadBack }) => hasReadBack),
        inCart,
      ),
    }),
    ...(locales.length > 0 && {
      locales: Object.fromEntries(
        [...Map.groupBy(locales, (each) => each)].map(([name, of]) => [name, of.length]),
      ),
    }),
  };
}

const startOf = ({ startedDateTime }: Entry): number => Date.parse(startedDateTime);
const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
const mean = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length;
const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
const scatter = (values: readonly number[]): number =>
  Math.sqrt(values.reduce((sum, each) => sum + (each - mean(values)) ** 2, 0) / (values.length - 1));

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function answerOf<T>({ response: { content } }: Entry, schema: z.ZodType<T>): T | undefined {
  const text =
    content?.encoding === 'base64' ? Buffer.from(content.text ?? '', 'base64').toString() : content?.text;
  return schema.safeParse(parsed(text)).data;
}

/** The events of a body: itself, or the first list of them in it. */
function eventsIn(body: unknown): readonly z.output<typeof eventSchema>[] {
  const one = eventSchema.safeParse(body);
  if (one.success) return [one.data];
  if (typeof body !== 'object' || body === null) return [];
  for (const value of Array.isArray(body) ? [body] : Object.values(body)) {
    const many = z.array(eventSchema).min(1).safeParse(value);
    if (many.success) return many.data;
  }
  return [];
}

/** The scenario as a file: what the recording shows, and in its head what was left out. Nothing of a key or an id is in it. */
export function scenarioText(name: string, found: RecordedShoppers): string {
  const { events, leftOut, perMinute, sessions, settings } = found;
  const rate = Math.max(1, Math.round(perMinute ?? 60));
  const settingsText = JSON.stringify(settings, null, 2)
    .replaceAll(/^( *)"([A-Za-z]+)":/gm, '$1$2:')
    .replaceAll('"', "'")
    .replaceAll('\n', '\n  ');
  return [
    "import { defineScenario, shoppers } from 'tryon';",
    '',
    '/**',
    ` * From a recording with ${counted(sessions, 'session')} and ${counted(events, 'event')}.`,
    ...(perMinute === undefined
      ? [' * One session does not say how many shoppers come in a minute: the rate is a guess.']
      : []),
    ...[...leftOut].map(([what, count]) => ` * Left out: ${what} (${counted(count, 'request')}).`),
    ' */',
    'export default defineScenario({',
    `  name: ${JSON.stringify(name).replaceAll('"', "'")},`,
    "  title: 'Shoppers as in a recording',",
    `  shoppers: ${settingsText},`,
    `  load: [shoppers('${rate}/min', '60s')],`,
    "  checks: ['contract', 'analytics', 'latency'],",
    '});',
    '',
  ].join('\n');
}
