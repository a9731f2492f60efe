import { describe, expect, it } from 'vitest';
import { serverTimingOf } from '../../src/drive/record/headers.ts';

describe('a Server-Timing header', () => {
  it.each<[string, unknown, string | undefined]>([
    ['is read as durations by name', 'db;dur=53.2, app;dur=47', 'db=53.2 app=47'],
    ['may describe a duration, before or after it', 'db;desc="A, b; c";dur=5,x;dur=6;desc=y', 'db=5 x=6'],
    ['may have spaces, quotes, a unit and capitals', ' db ; DUR = "1.5" , x;dur= 2ms', 'db=1.5 x=2'],
    ['may come as several fields', ['a;dur=1', 'b;dur=2'], 'a=1 b=2'],
    ['says nothing without a duration', 'cache;desc="HIT", miss', undefined],
    ['loses only what cannot be read', 'a;dur=soon, ;dur=3, "b";dur=4, c;dur=-5, d;dur=6', 'd=6'],
    ['may end within quotes', 'a;dur=1;desc="open, b;dur=2', 'a=1'],
    ['cannot bring free text as a name', 'a b;dur=1, a=b;dur=2, ok;dur=3', 'ok=3'],
    [
      'is cut to a dozen durations',
      Array.from({ length: 99 }, (_, n) => `m${n};dur=1`).join(),
      expect.stringMatching(/^(m\d+=1 ?){12}$/),
    ],
    ['may be missing', undefined, undefined],
    ['may be empty', '', undefined],
  ])('%s', (_, header, read) => {
    expect(serverTimingOf(header)).toEqual(read);
  });
});
