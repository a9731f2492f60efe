import { randomUUID } from 'node:crypto';
import {
  hasValidEvent,
  type Malformed,
  type MalformedIds,
  malformedRequests,
  malformedWire,
  validEvent,
} from '../../corners/malformed.ts';
import type { Reach } from '../../corners/value-class.ts';
import type { Call } from '../../target/calls.ts';
import type { Channel } from '../../target/channel.ts';
import type { SessionGrant } from '../../wire.ts';
import { epochMs } from '../clock/clock.ts';
import { dayQuery } from '../clock/days.ts';
import { contract, placeOf } from './ask-contract.ts';
import { contractIds, listed } from './contract-probes.ts';
import type { SetupOptions } from './setup-options.ts';

/** What malformed requests cost on the load key at most. */
interface MalformedCost {
  readonly requests: number;
  /** Of these, imports and sessions: a service may accept them. */
  readonly imports: number;
  readonly sessions: number;
}

/** Of set-up, or of what comes after the load. One of the requests lists what was imported. */
export function malformedCost(rows: readonly Malformed[]): MalformedCost {
  const at = (endpoint: Malformed['endpoint']): number =>
    rows.filter((each) => each.endpoint === endpoint).length;
  return {
    requests: rows.length === 0 ? 0 : rows.length + 1,
    imports: at('import-shades'),
    sessions: at('create-session'),
  };
}

/** Sessions that malformed requests open at most, where a service accepts them: in set-up, and in all. */
export function malformedSessions(reach: Reach | undefined): {
  readonly setUp: number;
  readonly all: number;
} {
  const of = (isAfterLoad: boolean): number => malformedCost(malformedRows(reach, isAfterLoad)).sessions;
  return { setUp: of(false), all: of(false) + of(true) };
}

/** The malformed requests of set-up, and those that are too many for it. */
export function malformedRows(reach: Reach | undefined, isAfterLoad: boolean): readonly Malformed[] {
  if (reach === undefined) return [];
  return malformedRequests.filter(
    ({ from, isEarly }) => isEarly !== isAfterLoad && (reach !== 'single' || from === 'single'),
  );
}

/** The session whose interaction channel gets malformed events. */
interface EventTarget {
  readonly channel: Channel;
  readonly grant: SessionGrant;
}

export function eventTargetOf(
  channel: Channel | undefined,
  grant: SessionGrant | undefined,
): EventTarget | undefined {
  return channel === undefined || grant === undefined ? undefined : { channel, grant };
}

/**
 * Sends requests with one fault each, and lists what was imported with them. Malformed events are sent only if the profile
 * promises that they do not count: the channel is not in the interface document.
 */
export async function probeMalformed(options: SetupOptions, events: EventTarget | undefined): Promise<void> {
  const rows = malformedRows(options.corners, options.isAfterLoad === true).filter(
    ({ endpoint }) =>
      (endpoint !== 'create-session' || options.probeSessions) &&
      (endpoint !== 'interact' || events?.channel.malformed === 'refused'),
  );
  const ids = malformedIds(options);
  for (const row of rows) await send(options, row, ids, events);
  if (rows.some(({ endpoint }) => endpoint === 'import-shades'))
    await listed(options, { catalogId: ids.importInto, probe: 'invalid:list' });
}

function malformedIds({ catalogs, clock, days, isAfterLoad, profile, tag }: SetupOptions): MalformedIds {
  const { id: catalogId, locale, products } = catalogs.load;
  const unique = `tryon-${tag}-invalid${isAfterLoad === true ? '-more' : ''}`;
  return {
    unique,
    importInto: unique,
    locale,
    catalogId,
    // No event probe uses the last one, so that a history can tell the events apart.
    sku: products.at(-1)?.shades.at(-1)?.sku ?? '',
    // Analytics of this product are asked for in the end: none of these sessions may count.
    productId: contractIds(tag).unknown,
    finish: profile.finishes[0] ?? 'matte',
    at: new Date(epochMs(clock, clock.nowNs())).toISOString(),
    ...dayQuery(days.wide(), 'date'),
    eventId: randomUUID,
  };
}

async function send(
  options: SetupOptions,
  row: Malformed,
  ids: MalformedIds,
  events: EventTarget | undefined,
): Promise<void> {
  const { endpoint, fault, field } = row;
  const probe = `invalid:${endpoint}:${field}:${fault}` as const;
  // A request of one event has no room for a valid one before it.
  const inFront = hasValidEvent(row) && events?.channel.most_events !== 1 ? [validEvent(ids)] : [];
  const channelPath =
    events?.channel.path.replaceAll('{session_id}', encodeURIComponent(events.grant.session_id)) ?? '';
  const wire = malformedWire(row, ids, channelPath, inFront);
  const method = wire.body === undefined ? 'GET' : 'POST';
  if (endpoint !== 'interact' || events === undefined) {
    const call: Call = { endpoint, method, ...wire, about: aboutOf(row, ids) };
    await contract(options, call, { credential: 'load', probe });
    return;
  }
  const { session_id: sessionId, token } = events.grant;
  const batch = { interactions: inFront };
  const about = { sessionId, batch, items: batch.interactions.length };
  await options.asker.askOnChannel(events.channel, token, {
    call: { endpoint, method, ...wire, about },
    ...placeOf(options),
    credential: 'load',
    probe,
    known: { secrets: [token] },
  });
}

/** What the record holds of the request: the fields without the fault. */
function aboutOf({ endpoint, field }: Malformed, ids: MalformedIds): Call['about'] {
  const sent: Readonly<Record<string, string>> = {
    productId: 'product_id',
    catalogId: 'catalog_id',
    locale: 'locale',
  };
  const whole: Call['about'] =
    endpoint === 'import-shades'
      ? { catalogId: ids.importInto }
      : endpoint === 'create-session'
        ? { productId: ids.productId, catalogId: ids.catalogId, locale: ids.locale }
        : endpoint === 'list-shades'
          ? { catalogId: ids.catalogId }
          : {};
  return Object.fromEntries(Object.entries(whole).filter(([name]) => sent[name] !== field));
}
