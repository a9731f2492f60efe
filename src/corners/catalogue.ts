import type { Fault } from '../vocabulary/probes.ts';
import { beyond, exactly } from './amounts.ts';
import { hexClasses } from './colours.ts';
import { malformedRequests } from './malformed.ts';
import { idClasses, nameClasses, taggedIdClasses } from './texts.ts';
import { type AmountField, type Field, type TextField, type ValueClass, word } from './value-class.ts';

const free = { requests: 0, from: 'single' } as const;
const oneRequest = { requests: 1, from: 'single' } as const;
const session = { requests: 1, from: 'single', needs: 'sessions' } as const;
const act = { requests: 0, from: 'single', needs: 'channel' } as const;
const probed = { requests: 1, from: 'single', invalid: true } as const;
/** Only where the plan spends the quota. */
const atQuota = { from: 'none', needs: 'quota' } as const;

function text(title: string, classes: TextField['classes']): TextField {
  return { kind: 'text', title, classes };
}

function amount(title: string, classes: AmountField['classes']): AmountField {
  return { kind: 'amount', title, classes };
}

function locale(
  id: string,
  sentence: string,
  holds: (value: string) => boolean,
  facts: Pick<ValueClass<string>, 'requests' | 'from' | 'needs' | 'invalid'>,
  ...values: readonly string[]
): ValueClass<string> {
  return { id, sentence, ...facts, holds, make: () => values };
}

/** What is done to a real key to make one that only resembles it. */
const nearKeyWords = {
  'cut-by-1': 'The key without its last character',
  'cut-to-8': 'The first 8 bytes of the key',
  'cut-to-16': 'The first 16 bytes of the key',
  'cut-to-20': 'The first 20 bytes of the key',
  'cut-to-24': 'The first 24 bytes of the key',
  'cut-to-32': 'The first 32 bytes of the key',
  'cut-to-36': 'The first 36 bytes of the key',
  'cut-to-64': 'The first 64 bytes of the key',
  'cut-to-72': 'The first 72 bytes of the key',
  'last-changed': 'The key with another last character',
  'byte-73-changed': 'The key with another 73rd byte',
  case: 'The key in the other case',
  longer: 'The key and one more character',
  twice: 'The key twice',
  quoted: 'The key in quotes',
  basic: 'The key under the scheme Basic',
  token: 'The key under the scheme Token',
  'other-scheme': 'The key under the scheme XBearer',
  'no-scheme': 'The key without a scheme',
  'scheme-twice': 'The key after the scheme Bearer twice',
  'word-after': 'The key and another word',
  'scheme-alone': 'The scheme Bearer and no key',
  'session-token': 'A session token in place of the key',
} as const;

/** What is wrong with a malformed request. */
const faultWords: Readonly<Record<Fault, string>> = {
  'no-json': 'A body that is not JSON',
  'list-body': 'A list as the body',
  'text-body': 'A text as the body',
  'null-body': 'null as the body',
  absent: 'A field or parameter is absent',
  null: 'null as the value of a field',
  number: 'A number as the value of a text',
  list: 'A list as the value of a text',
  object: 'An object as the value of a field',
  text: 'A text as the value of a list',
  empty: 'An empty text',
  pattern: 'A text of another form than the interface shows',
  repeated: 'A parameter twice',
  'percent-letters': 'Broken percent-encoding: %zz',
  'percent-alone': 'Broken percent-encoding: a single %',
  'percent-byte': 'Percent-encoding of a byte that is not UTF-8: %ff',
};

/**
 * Every class of values, by the field of the interface that it belongs to. The types of the fields give the classes:
 * software goes wrong at the same kinds of values wherever it keeps a text, a number, a list or a date.
 */
export const catalogue = {
  sku: text('SKU of a shade', idClasses),
  name: text('Name of a shade', nameClasses),
  hex: text('Colour of a shade', hexClasses),
  finish: text('Finish of a shade', [
    word('matte', 'matte, the value that the interface shows', free),
    {
      id: 'other',
      sentence: 'Another finish, from the profile',
      ...free,
      needs: 'other-finish',
      holds: (value) => value !== 'matte',
    },
  ]),
  product_id: text('product_id of a session', taggedIdClasses),
  catalog_id: text('catalog_id of an import', taggedIdClasses),
  locale: text('Locale of a session', [
    locale(
      'language-country',
      'Language and country, such as en-GB',
      (value) => /^[a-z]{2}-[A-Z]{2}$/.test(value),
      free,
      'en-GB',
    ),
    locale('language', 'Language alone, such as en', (value) => /^[a-z]{2,3}$/.test(value), session, 'en'),
    locale(
      'script',
      'Language and script, such as zh-Hans-CN',
      (value) => /^[a-z]{2}-[A-Z][a-z]{3}(-[A-Z]{2})?$/.test(value),
      { ...free, needs: 'sessions' },
      'zh-Hans-CN',
    ),
    locale(
      'region-number',
      'Language and a region by number, such as es-419',
      (value) => /^[a-z]{2}-\d{3}$/.test(value),
      session,
      'es-419',
    ),
    locale(
      'underscore',
      'An underscore, such as en_US',
      (value) => value.includes('_'),
      { ...session, invalid: true },
      'en_US',
    ),
    locale(
      'other-case',
      'The wrong case, such as EN-us',
      (value) => /^[A-Z]{2}-[a-z]{2}$/.test(value),
      { ...session, invalid: true },
      'EN-us',
    ),
    locale('empty', 'An empty text', (value) => value === '', { ...session, invalid: true }, ''),
    locale(
      'long',
      '36 characters',
      (value) => value.length === 36,
      { ...session, invalid: true },
      `en-${'x'.repeat(33)}`,
    ),
  ]),
  batch: amount('Shades in an import', [
    exactly(0, 'No shade', oneRequest),
    exactly(1, '1 shade', oneRequest),
    { id: 'some', sentence: '2 to 498 shades', ...free, holds: (value) => value > 1 && value < 499 },
    exactly(499, '499 shades', oneRequest),
    exactly(500, '500 shades, the limit', free),
    exactly(501, '501 shades, one more than the limit', { ...free, invalid: true }),
  ]),
  import: text('How a batch is imported', [
    word('again', 'The same batch again', free),
    word('repeat', 'A SKU twice in a batch', free),
    word('bad-first', 'An invalid shade in the first place', probed),
    word('bad-middle', 'An invalid shade in the middle', probed),
    word('bad-last', 'An invalid shade in the last place', { ...free, invalid: true }),
    word('at-once', 'Two batches at the same time into one catalog', { requests: 2, from: 'single' }),
    word('several', 'Several batches into one catalog', free),
    word('sku-in-two-catalogs', 'The same SKU in two catalogs of an account', free),
  ]),
  catalog: amount('Shades in a catalog that is listed', [
    exactly(0, 'No shade', { ...free, invalid: true }),
    exactly(1, '1 shade', oneRequest),
    ...beyond({ single: [1, 10, 20, 25, 50, 100, 200, 250, 499], long: [500, 999] }, 'shade', (from) => ({
      requests: from === 'single' ? 0 : 4,
      from,
    })),
  ]),
  history: amount('Events of a session that is read back', [
    exactly(0, 'No event', { ...free, needs: 'sessions' }),
    exactly(1, '1 event', act),
    exactly(2, '2 events', act),
    ...beyond(
      { single: [2, 10, 20, 50, 64, 100, 128, 200, 256, 500, 512], long: [1_000, 1_024] },
      'event',
      (from) => ({ requests: 4, from, needs: 'channel' }),
    ),
  ]),
  delivery: amount('Events in one request', [
    exactly(0, 'No event', { ...act, from: 'none' }),
    exactly(1, '1 event', act),
    ...beyond({ single: [1, 10, 50, 100, 255], long: [] }, 'event', (from) => ({
      ...act,
      from,
    })),
  ]),
  events: text('Order of the events of a session', [
    word('cart-first', 'The first event is a cart intent', act),
    word('cart-alone', 'A cart intent, and no shade selected', { ...act, from: 'none' }),
    word('cart-without-sku', 'A cart intent without a SKU', { ...act, requests: 1 }),
    word('cart-twice', 'Two cart intents', act),
    word('selected-after-cart', 'A shade selected after a cart intent', act),
    word('selected-again', 'A shade selected again', act),
    word('one-instant', 'Two events with the same instant', act),
    word('out-of-order', 'An event that carries an earlier instant than the one before it', act),
    word('sent-again', 'An event that is sent again with its id', { ...act, from: 'none' }),
    word('at-once', 'Several deliveries at the same time', act),
  ]),
  dates: text('Dates of analytics', [
    word('one-day', 'start_date and end_date are the same day', free),
    word('days', 'A few days', free),
    word('month', '28 days or more', free),
    word('year', '365 days or more', free),
    word('leap-day', '29 February', free),
    word('month-end', 'The last day of a month', free),
    word('year-end', '31 December or 1 January', free),
    word('long-ago', 'Before 2015', free),
    word('far-ahead', 'After 2100', oneRequest),
    word('reversed', 'end_date is before start_date', probed),
    word('malformed', 'Not a date', { ...free, invalid: true }),
    word('product', 'With a product_id', free),
    word('own-days', 'Days on which the run made sessions, at least two', {
      ...free,
      from: 'none',
      needs: 'days',
    }),
  ]),
  key: text('API key', [
    word('none', 'No Authorization header', probed),
    word('unknown', 'A key that was never issued', probed),
    ...Object.entries(nearKeyWords).map(([kind, sentence]) =>
      word(kind, sentence, {
        ...probed,
        ...(kind === 'session-token' && { needs: 'sessions' }),
        // Only of a key that is longer.
        ...(/36|64|7[23]/.test(kind) && { needs: 'long-key' }),
      }),
    ),
  ]),
  malformed: text(
    'How a request is malformed',
    Object.entries(faultWords).map(([fault, sentence]) => {
      const sent = malformedRequests.filter((each) => each.fault === fault);
      const requests = sent.filter(({ from }) => from === 'single').length;
      return word(fault, sentence, { requests, from: 'single', invalid: true });
    }),
  ),
  quota: text('Session quota', [
    word('below', 'A session below the quota', { ...atQuota, requests: 0 }),
    word('over', 'A session over the quota', { ...atQuota, requests: 1 }),
    word('race', 'Several sessions at once at the edge of the quota', { ...atQuota, requests: 1 }),
  ]),
} as const satisfies Readonly<Record<string, Field>>;

export type FieldName = keyof typeof catalogue;
export const fieldNames = Object.keys(catalogue) as FieldName[];
