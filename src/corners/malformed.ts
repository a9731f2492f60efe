import type { Fault } from '../vocabulary/probes.ts';
import type { Endpoint } from '../vocabulary/requests.ts';
import type { Reach } from './value-class.ts';

/** A request with one fault, in one field or in the body as a whole. */
export interface Malformed {
  readonly endpoint: Endpoint;
  /** `body` for the body as a whole. */
  readonly field: string;
  readonly fault: Fault;
  /** The first reach that sends it. `single`: the first fault of each field, and each fault in some field. */
  readonly from: Exclude<Reach, 'long'>;
  /** During set-up, or else after the load. */
  readonly isEarly: boolean;
}

/** What goes into a malformed request beside the fault. */
export interface MalformedIds {
  /** The run's own: each import names its shades with it. */
  readonly unique: string;
  /** A new catalog for the imports. */
  readonly importInto: string;
  /** A catalog that exists, and one of its SKUs. */
  readonly catalogId: string;
  readonly sku: string;
  /** A product of no other session. */
  readonly productId: string;
  readonly finish: string;
  readonly locale: string;
  /** An instant for events, and a valid period. */
  readonly at: string;
  readonly start_date: string;
  readonly end_date: string;
  /** A new id for each event. */
  readonly eventId: () => string;
}

/** A malformed request as it goes out, below the base URL. */
interface MalformedWire {
  readonly path: string;
  readonly body?: string;
}

const inText: readonly Fault[] = ['absent', 'null', 'object', 'list', 'number', 'empty'];
const inList: readonly Fault[] = ['absent', 'null', 'object', 'text'];
const inBody: readonly Fault[] = ['list-body', 'text-body', 'null-body', 'no-json'];
const inEncoding: readonly Fault[] = ['percent-letters', 'percent-alone', 'percent-byte'];
const inDate: readonly Fault[] = ['absent', 'empty', 'pattern', 'repeated'];

/** The faults of each field that the interface shows, and of the channel's; set-up sends the first one. */
const faultsOf: readonly (readonly [Endpoint, string, readonly Fault[]])[] = [
  ['import-shades', 'sku', inText],
  ['import-shades', 'name', startingWith('null', inText)],
  ['import-shades', 'hex', startingWith('object', [...inText, 'pattern'])],
  ['import-shades', 'finish', inText],
  ['import-shades', 'catalog_id', startingWith('object', inText)],
  ['import-shades', 'shades', inList],
  ['import-shades', 'body', inBody],
  ['create-session', 'product_id', startingWith('object', inText)],
  ['create-session', 'catalog_id', inText],
  ['create-session', 'locale', startingWith('null', inText)],
  ['create-session', 'body', startingWith('no-json', inBody)],
  ['list-shades', 'catalog_id', ['absent', 'empty', 'repeated', ...inEncoding]],
  ['read-session', 'id', inEncoding],
  ['analytics', 'start_date', inDate],
  ['analytics', 'end_date', startingWith('pattern', inDate)],
  ['analytics', 'product_id', [...inEncoding, 'repeated']],
  ['interact', 'id', inText],
  ['interact', 'type', startingWith('null', [...inText, 'pattern'])],
  ['interact', 'sku', startingWith('object', inText)],
  ['interact', 'at', startingWith('object', [...inText, 'pattern'])],
  ['interact', 'interactions', inList],
  ['interact', 'body', startingWith('null-body', inBody)],
];

/** Too much for set-up beside the others. */
const onlyAfterLoad: readonly string[] = ['analytics end_date', 'analytics product_id', 'interact body'];

/** Every malformed request. The faults of broken clients, one at a time: which field a service forgets to check is not known. */
export const malformedRequests: readonly Malformed[] = withReach(
  faultsOf.flatMap(([endpoint, field, faults]) =>
    faults.map((fault, place) => ({
      ...{ endpoint, field, fault },
      isEarly: place === 0 && !onlyAfterLoad.includes(`${endpoint} ${field}`),
    })),
  ),
);

/**
 * Of the first reach are the first fault of each field, and the first request with each fault that none of these has. Events do not
 * stand for a fault: only a profile with a promise about them lets them be sent.
 */
function withReach(rows: readonly Omit<Malformed, 'from'>[]): readonly Malformed[] {
  const firsts = new Map(rows.toReversed().map((row) => [`${row.endpoint} ${row.field}`, row]));
  const requests = [...rows.toReversed(), ...firsts.values()].filter(
    ({ endpoint }) => endpoint !== 'interact',
  );
  const faults = new Map(requests.map((row) => [row.fault, row]));
  const first = new Set([...firsts.values(), ...faults.values()]);
  return rows.map((row) => ({ ...row, from: first.has(row) ? 'single' : 'pairs' }));
}

function startingWith(first: Fault, faults: readonly Fault[]): readonly Fault[] {
  return [first, ...faults.filter((fault) => fault !== first)];
}

/** What the names of a malformed import's shades begin with. */
export function malformedMark({ unique }: Pick<MalformedIds, 'unique'>, { fault, field }: Malformed): string {
  return `${unique}-${field}-${fault}-`;
}

/** An event of the interaction channel. */
interface PlainEvent {
  readonly id: string;
  readonly type: 'shade_selected';
  readonly sku: string;
  readonly at: string;
}

/** A valid event, which goes before the malformed one of a batch: nothing of the batch may be stored. */
export function validEvent({ at, eventId, sku }: MalformedIds): PlainEvent {
  return { id: eventId(), type: 'shade_selected', sku, at };
}

/** Whether a batch of events has a valid event before the malformed one. */
export function hasValidEvent({ endpoint, field }: Malformed): boolean {
  return endpoint === 'interact' && field !== 'interactions' && field !== 'body';
}

/** The request as it goes out. `channelPath`: of the session's interactions; `inFront`: valid events before a malformed one. */
export function malformedWire(
  each: Malformed,
  ids: MalformedIds,
  channelPath: string,
  inFront: readonly PlainEvent[],
): MalformedWire {
  switch (each.endpoint) {
    case 'import-shades':
      return { path: '/shades', body: importBody(each, ids) };
    case 'create-session': {
      const whole = { product_id: ids.productId, catalog_id: ids.catalogId, locale: ids.locale };
      return { path: '/sessions', body: bodyWith(each, whole) };
    }
    case 'interact': {
      const event = withFault(each, { ...validEvent(ids) });
      const body = hasValidEvent(each)
        ? JSON.stringify({ interactions: [...inFront, event] })
        : bodyWith(each, { interactions: [validEvent(ids)] });
      return { path: channelPath, body };
    }
    case 'read-session':
      return { path: `/sessions/${encodedFault(each.fault)}` };
    case 'list-shades':
      return { path: `/shades${query(each, { catalog_id: ids.catalogId })}` };
    case 'analytics': {
      const { end_date, start_date } = ids;
      const product = each.field === 'product_id' ? { product_id: ids.productId } : {};
      return { path: `/analytics/sessions${query(each, { start_date, end_date, ...product })}` };
    }
  }
}

function importBody(each: Malformed, ids: MalformedIds): string {
  const mark = malformedMark(ids, each);
  const shades = [1, 2].map((n) => ({
    sku: `${mark}${n}`,
    name: `${mark}${n}`,
    hex: `#10203${n}`,
    finish: ids.finish,
  }));
  const whole = { catalog_id: ids.importInto, shades };
  const isOfShade = ['sku', 'name', 'hex', 'finish'].includes(each.field);
  // The last shade has the fault: what comes before it may be stored by then.
  return isOfShade
    ? JSON.stringify({
        ...whole,
        shades: shades.map((shade, at) => (at === 1 ? withFault(each, shade) : shade)),
      })
    : bodyWith(each, whole);
}

function bodyWith(each: Malformed, whole: object): string {
  switch (each.fault) {
    case 'no-json':
      return JSON.stringify(whole).slice(0, -1);
    case 'list-body':
      return JSON.stringify([whole]);
    case 'text-body':
      return JSON.stringify('text');
    case 'null-body':
      return 'null';
    default:
      return JSON.stringify(withFault(each, whole));
  }
}

function withFault({ fault, field }: Malformed, whole: object): object {
  return Object.fromEntries(
    Object.entries(whole).flatMap(([name, value]): [string, unknown][] =>
      name !== field ? [[name, value]] : fault === 'absent' ? [] : [[name, faultyValue(fault, value)]],
    ),
  );
}

/** `value`: the right one. A service may take it out of a list, or look only at its beginning. */
function faultyValue(fault: Fault, value: unknown): unknown {
  switch (fault) {
    case 'null':
      return null;
    case 'number':
      return 42;
    case 'list':
      return [value];
    case 'object':
      return {};
    case 'text':
      return 'text';
    case 'empty':
      return '';
    default:
      return `${value}!`;
  }
}

function query({ fault, field }: Malformed, whole: Readonly<Record<string, string>>): string {
  const parameters = Object.entries(whole).flatMap(([name, value]) => {
    if (name !== field) return [`${name}=${encodeURIComponent(value)}`];
    if (fault === 'absent') return [];
    if (fault === 'repeated') return [1, 2].map(() => `${name}=${encodeURIComponent(value)}`);
    return [
      `${name}=${fault.startsWith('percent-') ? encodedFault(fault) : encodeURIComponent(String(faultyValue(fault, value)))}`,
    ];
  });
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`;
}

/** Percent-encoding that is broken: two letters that are no digits, nothing at all, a byte that is no UTF-8. */
function encodedFault(fault: Fault): string {
  return fault === 'percent-letters' ? '%zz' : fault === 'percent-alone' ? '%' : '%ff';
}
