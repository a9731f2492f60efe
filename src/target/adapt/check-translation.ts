import { isDeepStrictEqual } from 'node:util';
import { endpoints } from '../../vocabulary/requests.ts';
import { type Call, readAnswer, type Translation } from '../calls.ts';
import type { MappedEndpoint, WireRequest } from '../endpoint-map.ts';
import { isObject, type JsonObject } from '../json.ts';
import { type Channel, type Profile, possibleChannels, usualChannel } from '../profile.ts';
import { endpointName, samples } from './adapter-translation.ts';
import type { Adapter, AdapterExample } from './define-adapter.ts';

/** One result of a check without a network. A note is no fault: some targets have no such field. */
export interface Checked {
  readonly kind: 'right' | 'note' | 'wrong';
  readonly endpoint: string;
  readonly text: string;
}

const key = 'Bearer sample-key';

/** Whether each request can be made, and says all that it has to. */
export function checkRequests(translation: Translation, { channel }: Profile): Checked[] {
  const [own = usualChannel] = possibleChannels(channel);
  return endpoints.flatMap((each): Checked[] => {
    const endpoint = endpointName(each);
    const { call, others: changed } = samplesOf(endpoint, own);
    let made: WireRequest;
    const unsaid: string[] = [];
    try {
      made = translation.request(call, key);
      const text = JSON.stringify(made);
      for (const [field, other] of changed)
        if (JSON.stringify(translation.request(other, key)) === text) unsaid.push(field);
      if (JSON.stringify(translation.request(call, `${key}-2`)) === text) unsaid.push('the credentials');
    } catch (error) {
      return [{ kind: 'wrong', endpoint, text: error instanceof Error ? error.message : String(error) }];
    }
    const { body = '', headers, method, path } = made;
    const shown = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const problem = problemOf(made);
    return [
      { kind: 'right', endpoint, text: [`${method} ${path}`, ...shown, body].filter(Boolean).join('\n') },
      ...(problem === undefined ? [] : [{ kind: 'wrong', endpoint, text: problem } as const]),
      ...unsaid.map((field): Checked => {
        const kind = optional[endpoint]?.includes(field) === true ? 'note' : 'wrong';
        return { kind, endpoint, text: `the request is the same for every value of ${field}` };
      }),
    ];
  });
}

function problemOf({ headers, path }: WireRequest): string | undefined {
  if (!path.startsWith('/')) return `path: expected one that begins with /, got ${JSON.stringify(path)}`;
  if (/[^\x21-\x7e]/.test(path)) return `path: expected percent-encoding, got ${JSON.stringify(path)}`;
  const strange = Object.entries(headers).find(([, value]) => /[^\t\x20-\x7e]/.test(value));
  return strange === undefined ? undefined : `header ${strange[0]}: expected printable ASCII`;
}

/** Ids that need percent-encoding, and fields that a request may have beside those that it always has. */
const ids: JsonObject = { product_id: 'product 1', catalog_id: 'catalog 1', session_id: 's 1' };
const event = { id: 'e1', type: 'shade_selected', sku: 'SKU-1', at: '2026-01-01T00:00:00.000Z' };
const more: Partial<Readonly<Record<MappedEndpoint, JsonObject>>> = {
  analytics: { product_id: 'product 1' },
  interact: { interactions: [event] },
};
/** Another value of each field. */
const others: JsonObject = {
  ...{ product_id: 'product 2', catalog_id: 'catalog 2', session_id: 's 2', locale: 'de-DE' },
  ...{ sku: 'SKU-2', name: 'Plum', hex: '#102030', finish: 'satin' },
  ...{ start_date: '2026-01-02', end_date: '2026-01-30' },
  ...{ type: 'cart_intent', id: 'e2', at: '2026-01-02T00:00:00.000Z' },
};
/** Fields that a target may not have. */
const optional: Partial<Readonly<Record<MappedEndpoint, readonly string[]>>> = {
  create_session: ['locale'],
  interact: ['id', 'at', 'session_id'],
};

/** The request to an endpoint, and the same with another value of one field, by the field that differs. */
function samplesOf(
  name: MappedEndpoint,
  channel: Channel,
): { readonly call: Call; readonly others: readonly (readonly [field: string, call: Call])[] } {
  const { call, fields } = samples[name];
  const own = Object.fromEntries(Object.entries(ids).filter(([field]) => field in fields));
  const base: JsonObject = { ...fields, ...own, ...more[name] };
  const changes = Object.entries(base).flatMap(([field, value]): { field: string; change: JsonObject }[] => {
    if (!Array.isArray(value)) return [{ field, change: { [field]: others[field] } }];
    const [entry = {}] = value as JsonObject[];
    const inner = Object.keys(entry).map((name) => ({
      field: name,
      change: { [field]: [{ ...entry, [name]: others[name] }] },
    }));
    const twice = { field: 'the number of shades', change: { shades: [entry, entry] } };
    return field === 'shades' ? [...inner, twice] : inner;
  });
  return {
    call: call(channel, base),
    others: changes.map(({ change, field }) => [field, call(channel, { ...base, ...change })]),
  };
}

/** Whether each example is read as it says, and in the interface's form. */
export function checkExamples(adapter: Adapter, translation: Translation, profile: Profile): Checked[] {
  const { examples = [] } = adapter;
  const results = examples.map((example): Checked => {
    const { endpoint } = example;
    const problem = problemOfExample(example, translation, profile);
    return problem === undefined
      ? { kind: 'right', endpoint, text: 'an example is read as it has to be' }
      : { kind: 'wrong', endpoint, text: `an example: ${problem}` };
  });
  const shown = new Set(examples.map(({ endpoint }) => endpoint));
  const unshown = endpoints
    .map(endpointName)
    .filter((name) => adapter[name]?.answer !== undefined && !shown.has(name));
  return [
    ...results,
    ...unshown.map((endpoint): Checked => ({ kind: 'note', endpoint, text: 'no example of its answer' })),
  ];
}

function problemOfExample(
  { answer, body: expected, endpoint, status: expectedStatus = 200 }: AdapterExample,
  translation: Translation,
  profile: Profile,
): string | undefined {
  if (!(endpoint in samples)) return 'expected the endpoint to be one of the adapter';
  const sample = samplesOf(endpoint, usualChannel).call;
  const { body, headers = {}, status = 200 } = answer;
  let read: ReturnType<Translation['answer']>;
  try {
    // What a profile's readers take is of any header; those of an example are lists that may not be changed.
    read = translation.answer(sample, {
      status,
      headers: headers as Record<string, string | string[]>,
      body,
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (read.status !== expectedStatus) return `expected status ${expectedStatus}, got ${read.status}`;
  if (read.status < 200 || read.status > 299) return undefined;
  const id = isObject(read.body) ? String(read.body.session_id) : '';
  const parsed = readAnswer(sample.endpoint, read.body, profile.session_history, id);
  if (!parsed.ok) return parsed.problem;
  const got = endpoint === 'list_shades' ? withPage(read.body) : read.body;
  if (expected === undefined || isDeepStrictEqual(plain(got), plain(expected))) return undefined;
  return `expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`;
}

/** Without what is undefined, as JSON has it. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null)) as unknown;
}

/** The list as the adapter returned it: `next` is what its next request gets. */
function withPage(body: unknown): unknown {
  if (!isObject(body) || typeof body.next !== 'string') return body;
  return { ...body, next: new URLSearchParams(body.next).get('page') };
}
