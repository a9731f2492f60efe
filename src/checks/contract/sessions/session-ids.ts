import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { admitted } from '../../core/found.ts';
import type { IdForm } from '../../reasons/contract/answers.ts';
import { type Reason, reason } from '../../reasons/reason.ts';

/** Fewer ids show no form. */
const fewest = 10;
/** More are not looked at one by one. */
const mostRead = 10_000;
/** Requests overtake each other, so an order holds for this part of the neighbours, and a counter skips some. */
const orderedPart = 0.9;
const widestStep = 64;

const alphabets: readonly (readonly [RegExp, number])[] = [
  [/^\d$/, 10],
  [/^[\da-f]$/i, 16],
  [/^[\da-z]$/, 36],
  [/^[\dA-Z]$/, 36],
  [/^[\da-zA-Z]$/, 62],
  [/^[\w-]$/, 64],
];

/** `ids`: in the order of their sessions. Undefined if they are too few. */
export function formOf(ids: readonly string[]): IdForm | undefined {
  if (ids.length < fewest) return undefined;
  const head = prefixOf(ids);
  const length = Math.max(...ids.map((id) => id.length)) - head;
  // A counter gets longer.
  const padded = ids.map((id) => id.slice(head).padStart(length, '0'));
  const varying = Array.from({ length }, (_, place) => new Set(padded.map((id) => id[place] ?? '')));
  const places = varying.filter((seen) => seen.size > 1);
  const characters = [...new Set(places.flatMap((seen) => [...seen]))];
  const alphabet =
    alphabets.find(([pattern]) => characters.every((each) => pattern.test(each)))?.[1] ?? characters.length;
  const distinct = new Set(ids).size;
  return {
    ids: ids.length,
    order: orderOf(padded, varying),
    places: places.length,
    alphabet,
    mostBits: Math.floor(places.length * Math.log2(Math.max(1, alphabet))),
    // Without a repetition, the chance of which is exp(−n² / 2^(bits + 1)).
    leastBits: distinct < ids.length ? 0 : Math.floor(Math.log2(ids.length ** 2 / (2 * Math.log(20)))),
  };
}

/** How many characters all ids begin with. */
function prefixOf([first = '', ...others]: readonly string[]): number {
  const at = [...first].findIndex((each, place) => others.some((id) => id[place] !== each));
  return at < 0 ? first.length : at;
}

function orderOf(ids: readonly string[], varying: readonly ReadonlySet<string>[]): IdForm['order'] {
  const neighbours = ids.slice(1).map((id, n) => [ids[n] ?? '', id] as const);
  const to = varying.findLastIndex((seen) => seen.size > 1) + 1;
  const part = ids.map((id) => id.slice(0, to));
  const base = part.every((each) => /^\d+$/.test(each))
    ? 10
    : part.every((each) => /^[\da-f]+$/i.test(each))
      ? 16
      : 36;
  // Ten places are exact as a number. A counter does not change more of them within a run.
  const numbers = part.map((each) => (each.length <= 10 ? Number.parseInt(each, base) : Number.NaN));
  const steps = numbers.slice(1).map((each, n) => Math.abs(each - (numbers[n] ?? Number.NaN)));
  const near = steps.filter((step) => step > 0 && step <= widestStep);
  if (near.length >= orderedPart * steps.length) return { kind: 'sequential', step: Math.max(...near) };
  const rises = neighbours.filter(([before, after]) => after > before).length;
  return { kind: rises >= orderedPart * neighbours.length ? 'rising' : 'none' };
}

/** The form of the ids of the run's sessions, in words. */
export async function idReasons(history: History): Promise<Reason[]> {
  const rows = await history.rows(
    z.object({ session_id: z.string() }),
    `SELECT session_id FROM requests WHERE endpoint = 'create-session' AND ${admitted} AND session_id IS NOT NULL
     ORDER BY sent_ns, seq LIMIT ${mostRead}`,
  );
  const form = formOf(rows.map(({ session_id }) => session_id));
  return form === undefined ? [] : [reason('session-ids', form)];
}
