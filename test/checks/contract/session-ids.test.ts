import { describe, expect, it } from 'vitest';
import { checkAnswers } from '../../../src/checks/contract/errors/answers.ts';
import { formOf } from '../../../src/checks/contract/sessions/session-ids.ts';
import type { IdForm } from '../../../src/checks/reasons/contract/answers.ts';
import { type Random, randomStream } from '../../../src/random.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';

function text(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
}
const hex = '0123456789abcdef';
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const uuid = (random: Random, head: string): string =>
  `${head.slice(0, 8)}-${head.slice(8, 12)}-7${text(random, hex, 3)}-a${text(random, hex, 3)}-${text(random, hex, 12)}`;

type Seen = Partial<Omit<IdForm, 'order'>> & { readonly order: Partial<IdForm['order']> };

describe('of 50 session ids it is seen that they', () => {
  it.each<[string, (n: number, random: Random) => string, Seen]>([
    ['count', (n) => `session-${n}`, { order: { kind: 'sequential', step: 1 } }],
    ['count with gaps', (n) => `s${7_000 + 3 * n}`, { order: { kind: 'sequential', step: 3 } }],
    [
      'count in hexadecimal',
      (n) => `s-${(65_500 + n).toString(16)}`,
      { order: { kind: 'sequential', step: 1 } },
    ],
    ['have 16 random bits', (_, random) => text(random, hex, 4), { order: { kind: 'none' }, mostBits: 16 }],
    [
      'have five random digits, with leading zeros or without',
      (_, random) => String(Math.floor(random() * 65_536)),
      { order: { kind: 'none' }, mostBits: 16 },
    ],
    [
      'are random, like a UUID',
      (_, random) => uuid(random, text(random, hex, 12)),
      { order: { kind: 'none' }, places: 30, alphabet: 16, mostBits: 120 },
    ],
    [
      'rise with time, like a UUID of version 7',
      (n, random) => uuid(random, (1_760_000_000_000 + 90 * n).toString(16).padStart(12, '0')),
      { order: { kind: 'rising' } },
    ],
    [
      'are random text after a word',
      (_, random) => `sess_${text(random, base62, 24)}`,
      { order: { kind: 'none' }, places: 24, alphabet: 62, mostBits: 142 },
    ],
  ])('%s', (name, id, expected) => {
    const random = randomStream(1, name);
    const form = formOf(Array.from({ length: 50 }, (_, n) => id(n, random)));
    expect(form).toMatchObject({ ids: 50, ...expected });
  });

  it.each([
    ['none were repeated, which excludes few bits', 10_000, 23],
    ['one was repeated, which excludes nothing', 9_999, 0],
  ])('of 10,000 %s', (_, distinct, leastBits) => {
    const ids = Array.from({ length: 10_000 }, (_, n) => `${(n % distinct) * 7_919}`);
    expect(formOf(ids)?.leastBits).toBe(leastBits);
  });

  it('are too few to say', () => {
    expect(formOf(Array.from({ length: 9 }, (_, n) => `s${n}`))).toBeUndefined();
  });
});

it('ids that count are a fact in the report, and no fault', async () => {
  const requests = Array.from({ length: 50 }, (_, n): SampleRequest => {
    return { endpoint: 'create-session', sessionId: `session-${n}` };
  });
  const { reasons, verdict } = await withHistory({ requests }, checkAnswers);
  expect(reasons?.map(({ code }) => code)).toContain('session-ids');
  expect(verdict).not.toBe('fail');
});
