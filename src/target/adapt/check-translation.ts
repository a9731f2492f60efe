import { isDeepStrictEqual } from 'node:util';
import type { Call, Translation } from '../calls.ts';
import * as calls from '../calls.ts';
import type { WireRequest } from '../endpoint-map.ts';
import { isObject } from '../json.ts';
import { type Channel, type Profile, possibleChannels, usualChannel } from '../profile.ts';
import { endpointName } from './adapter-translation.ts';
import type { Adapter, AdapterExample } from './define-adapter.ts';

/** One result of a check without a network. A note is no fault: some targets have no such field. */
export interface Checked {
  readonly kind: 'right' | 'note' | 'wrong';
  readonly endpoint: string;
  readonly text: string;
}

/** A request, and the same with another value of one field. */
interface CallSample {
  readonly call: Call;
  /** By the field that differs. */
  readonly others: Readonly<Record<string, Call>>;
  /** Fields that a target may not have. */
  readonly optional?: readonly string[];
}

const key = 'Bearer sample-key';

/** Whether each request can be made, and says all that it has to. */
export function checkRequests(translation: Translation, { channel }: Profile): Checked[] {
  const [own = usualChannel] = possibleChannels(channel);
  return samples(own).flatMap(({ call, optional = [], others }): Checked[] => {
    const endpoint = endpointName(call.endpoint);
    let made: WireRequest;
    const unsaid: string[] = [];
    try {
      made = translation.request(call, key);
      const text = JSON.stringify(made);
      for (const [field, other] of Object.entries(others))
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
        const kind = optional.includes(field) ? 'note' : 'wrong';
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

function samples(channel: Channel = usualChannel): CallSample[] {
  const session = { product_id: 'product 1', catalog_id: 'catalog 1', locale: 'en-GB' };
  const shade = { sku: 'SKU-1', name: 'Rose', hex: '#A1B2C3', finish: 'matte' };
  const batch = { catalog_id: 'catalog 1', shades: [shade] };
  const event = { id: 'e1', type: 'shade_selected', sku: 'SKU-1', at: '2026-01-01T00:00:00.000Z' } as const;
  const dates = { start_date: '2026-01-01', end_date: '2026-01-31', product_id: 'product 1' };
  const interact = (sessionId: string, change: object = {}): Call =>
    calls.interact(channel, sessionId, { interactions: [{ ...event, ...change }] });
  const other = { sku: 'SKU-2', name: 'Plum', hex: '#102030', finish: 'satin' };
  return [
    {
      call: calls.createSession(session),
      others: {
        product_id: calls.createSession({ ...session, product_id: 'product 2' }),
        catalog_id: calls.createSession({ ...session, catalog_id: 'catalog 2' }),
        locale: calls.createSession({ ...session, locale: 'de-DE' }),
      },
      optional: ['locale'],
    },
    { call: calls.readSession('s 1'), others: { session_id: calls.readSession('s 2') } },
    { call: calls.listShades('c 1'), others: { catalog_id: calls.listShades('c 2') } },
    {
      call: calls.importShades(batch),
      others: {
        catalog_id: calls.importShades({ ...batch, catalog_id: 'catalog 2' }),
        ...Object.fromEntries(
          Object.entries(other).map(([field, value]) => [
            field,
            calls.importShades({ ...batch, shades: [{ ...shade, [field]: value }] }),
          ]),
        ),
        'the number of shades': calls.importShades({ ...batch, shades: [shade, other] }),
      },
    },
    {
      call: calls.analytics(dates),
      others: {
        start_date: calls.analytics({ ...dates, start_date: '2026-01-02' }),
        end_date: calls.analytics({ ...dates, end_date: '2026-01-30' }),
        product_id: calls.analytics({ ...dates, product_id: 'product 2' }),
      },
    },
    {
      call: interact('s1'),
      others: {
        session_id: interact('s2'),
        type: interact('s1', { type: 'cart_intent' }),
        sku: interact('s1', { sku: 'SKU-2' }),
        id: interact('s1', { id: 'e2' }),
        at: interact('s1', { at: '2026-01-02T00:00:00.000Z' }),
      },
      optional: ['id', 'at', 'session_id'],
    },
  ];
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
  const unshown = samples()
    .map(({ call }) => endpointName(call.endpoint))
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
  const sample = samples().find(({ call }) => endpointName(call.endpoint) === endpoint)?.call;
  if (sample === undefined) return 'expected the endpoint to be one of the adapter';
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
  const parsed = calls.readAnswer(sample.endpoint, read.body, profile.session_history, id);
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
