import { describe, expect, it } from 'vitest';
import { runOptions, serveOptions, simulateOptions } from '../../src/commands/options.ts';

const options = { ...runOptions, port: serveOptions.port, days: simulateOptions.days };
type NumberName = 'max-requests' | 'max-sessions' | 'max-minutes' | 'quota' | 'seed' | 'port' | 'days';

describe('an option with a number', () => {
  it.each<[string, NumberName, unknown, number]>([
    ['one request', 'max-requests', '1', 1],
    ['a few seconds', 'max-minutes', '0.05', 0.05],
    ['the first seed', 'seed', '0', 0],
    ['a number by its default', 'port', 0, 0],
    ['the largest of a range', 'port', '65535', 65_535],
  ])('takes %s', (_what, name, typed, value) => {
    expect(options[name].coerce(typed)).toBe(value);
  });

  it.each<[string, NumberName, unknown, RegExp]>([
    ['no requests', 'max-requests', '0', /--max-requests: expected a whole number from 1, got 0/],
    ['half a session', 'max-sessions', '0.5', /--max-sessions: expected a whole number from 1, got 0\.5/],
    ['other text', 'max-sessions', 'many', /--max-sessions: .*got "many"/],
    ['no text', 'max-sessions', ' ', /--max-sessions: .*got " "/],
    ['no time', 'max-minutes', '0', /--max-minutes: expected a number of minutes above 0, got 0/],
    ['a negative seed', 'seed', '-1', /--seed: expected a whole number from 0, got -1/],
    ['more than is exact', 'seed', '9007199254740992', /--seed: .*got 9007199254740992/],
    [
      'a quota of half a session',
      'quota',
      '1.5',
      /--quota: expected a whole number of sessions from 1, got 1\.5/,
    ],
    ['a quota of nothing', 'quota', '0', /--quota: expected a whole number of sessions from 1, got 0/],
    [
      'a port that there is not',
      'port',
      '65536',
      /--port: expected a whole number from 0 to 65535, got 65536/,
    ],
    ['more days than ten years', 'days', '3661', /--days: expected a whole number from 1 to 3660, got 3661/],
    ['two numbers', 'days', [1, 2], /--days: given twice: 1, 2/],
  ])('says what is wrong with %s', (_what, name, typed, message) => {
    expect(() => options[name].coerce(typed)).toThrow(message);
  });
});
