import { number, span } from '../../../amounts.ts';

/** A property of requests or of events that has a few values. `connections`: its own, and another one that it depends on. */
export type ValueTrait =
  | 'connection'
  | 'connections'
  | 'credential'
  | 'locale'
  | 'catalog_id'
  | 'product_id'
  | 'type'
  | 'sku';
/**
 * One that is a number. `sent_at`, `age` and `idle` are milliseconds: since the start of the run, since the session was
 * created, and since its last event. `read_after`: until the session was read. `at_age`: from the creation of the
 * session to the instant that the event carries. `newer`: how many sessions were created since; `newer_alike`: of the same
 * product. `in_minute`: which of the events that were sent in the same minute (UTC).
 */
export const numberTraits = {
  items: 'count',
  place: 'count',
  idle: 'time',
  age: 'time',
  sent_at: 'time',
  newer: 'count',
  newer_alike: 'count',
  read_after: 'time',
  at_age: 'time',
  in_minute: 'count',
} as const;
export type NumberTrait = keyof typeof numberTraits;
/** What those that fail may share. */
export type Trait = ValueTrait | NumberTrait;

const traitWords: Readonly<Record<Trait, string>> = {
  connection: 'connection',
  connections: 'connections',
  credential: 'key',
  locale: '`locale`',
  catalog_id: '`catalog_id`',
  product_id: '`product_id`',
  type: '`type`',
  sku: '`sku`',
  items: 'number of entries',
  place: 'place in the request',
  idle: 'pause in the session',
  newer: 'number of newer sessions',
  newer_alike: 'number of newer sessions of the product',
  age: 'age of the session',
  sent_at: 'time of the run',
  read_after: 'time to the read',
  at_age: '`at`',
  in_minute: 'number in the minute',
};

/** What all have in common that fail: `sku`, and a value or a bound. */
export function traitText(trait: Trait, values: readonly string[]): string {
  return `${traitWords[trait]} ${values.join(' or ')}`;
}

/** A bound of a number: `from 101 on`, `up to 3`, `from 5 s on`. */
export function boundText(trait: NumberTrait, bound: 'from' | 'up to', value: number): string {
  if (trait === 'at_age')
    return `${bound} ${span(Math.abs(value))} ${value < 0 ? 'before' : 'after'} the creation of the session`;
  const amount = numberTraits[trait] === 'count' ? number(value) : span(value);
  return bound === 'from' ? `from ${amount} on` : `up to ${amount}`;
}
