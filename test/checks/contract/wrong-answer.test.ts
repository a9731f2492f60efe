import { describe, expect, it } from 'vitest';
import { wrongAnswer } from '../../../src/checks/contract/explored/explored.ts';
import { wrongText } from '../../../src/checks/reasons/contract/explored.ts';
import type { Divergence } from '../../../src/model/judge.ts';

const long = 'x'.repeat(90);
const soon = Date.UTC(2026, 10, 28, 18, 20, 54, 219);
const shade = { sku: 'R7', name: 'Rosé', hex: '#AA5511', finish: 'matte' };

describe('a wrong answer says what was expected and what came, so that they can be told apart', () => {
  const rows: readonly [what: string, divergence: Partial<Divergence>, text: string][] = [
    [
      'a status',
      { kind: 'status', expected: ['refused', 'missing'], got: 200 },
      'expected 4xx or 404, got 200',
    ],
    [
      'an outage, which says nothing of the key that was asked with',
      { kind: 'status', of: 'failed', expected: ['unauthorized'], got: 503 },
      'expected no 5xx, got 503',
    ],
    [
      'a number',
      { kind: 'number', of: 'shade_count', expected: [56, 56], got: 55 },
      'expected shade_count 56, got 55',
    ],
    [
      'a range',
      { kind: 'number', of: 'shade_count', expected: [5, 7], got: 9 },
      'expected shade_count 5 to 7, got 9',
    ],
    [
      'an instant as a time',
      { kind: 'number', of: 'expires_at', expected: [soon, 8.64e15], got: soon - 1_800_000 },
      'expected expires_at at least 2026-11-28T18:20:54.219Z, got 2026-11-28T17:50:54.219Z',
    ],
    [
      'a range that other wrong answers have emptied by its nearer end',
      { kind: 'number', of: 'expires_at', expected: [soon, soon - 60_000], got: soon - 1_800_000 },
      'expected expires_at at least 2026-11-28T18:20:54.219Z, got 2026-11-28T17:50:54.219Z',
    ],
    [
      'one field of a shade, and which shade it is',
      { kind: 'value', of: 'name', expected: shade, got: { ...shade, name: 'RosÃ©' } },
      'expected name of R7 "Rosé", got "RosÃ©"',
    ],
    [
      'of two fields nothing but them',
      { kind: 'value', of: 'name, hex', expected: shade, got: { ...shade, name: 'R', hex: '#000000' } },
      'expected name, hex of R7 {"name":"Rosé","hex":"#AA5511"}, got {"name":"R","hex":"#000000"}',
    ],
    [
      'long texts around the place at which they differ',
      { kind: 'field', of: 'name', expected: [`${long}a${long}`], got: `${long}b${long}` },
      `expected name …${'x'.repeat(20)}a${'x'.repeat(59)}…, got …${'x'.repeat(20)}b${'x'.repeat(59)}…`,
    ],
    [
      'texts that look the same by their code points',
      { kind: 'field', of: 'name', expected: ['\u00e9'], got: 'e\u0301' },
      'expected name "\\u{e9}", got "e\\u{301}"',
    ],
    ['a missing shade', { kind: 'missing', of: 'R7', got: undefined }, 'expected R7 in it, got none'],
  ];
  it.each(rows)('%s', (_what, divergence, text) => {
    const whole = { call: 12, op: 'read-session', resource: 'session 12', of: '', expected: undefined };
    expect(wrongText(wrongAnswer({ ...whole, ...divergence } as Divergence))).toBe(text);
  });
});
