import { describe, expect, it } from 'vitest';
import { limitHeadersOf, limitProblemOf, serverTimingOf } from '../../src/drive/record/headers.ts';
import type { AnswerRecord, RequestRecord } from '../../src/history/record.ts';
import { createSession, listShades } from '../../src/target/calls.ts';
import { Exchange } from '../../src/target/exchange.ts';
import type { Carrier } from '../../src/target/http/connect.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { recording } from './recording.ts';

/** The record of a list that came with these headers, and the answer that is kept of it. */
function recorded(
  headers: Readonly<Record<string, string>>,
  { body = '[]', carrier, status = 200 }: { body?: string; carrier?: Carrier; status?: number } = {},
): {
  readonly record: RequestRecord | undefined;
  readonly answer: AnswerRecord | undefined;
} {
  const { answers, recorder, requests } = recording();
  const exchange = new Exchange(listShades('c'), undefined, () => 300e6, { done: () => {} });
  exchange.onSent(carrier);
  exchange.onHead(status, { 'content-type': 'application/json', ...headers });
  exchange.onData(Buffer.from(body));
  exchange.onEnd();
  recorder.exchanged(
    {
      seq: 1,
      stage: 'setup',
      phase: 'contract',
      credential: 'load',
      intendedNs: 0,
      readyNs: 0,
      keepAnswer: { catalog_id: 'c' },
    },
    exchange,
  );
  return { record: requests[0], answer: answers[0] };
}

describe('the first request of a connection', () => {
  const link = { localPort: 50_001, remoteAddress: '127.0.0.2' };
  const times = { resolveMs: 150, connectMs: 60, handshakeMs: 80 };

  it.each<[sentence: string, carrier: Carrier, readyMs: number, openingMs: number | undefined]>([
    ['counts from when the connection was open', { ...link, opened: { ...times, waitedMs: 290 } }, 290, 290],
    [
      'counts from its own time where the connection was open by then',
      { ...link, opened: { ...times, waitedMs: 0 } },
      0,
      0,
    ],
    ['was never ready after it was sent', { ...link, opened: { ...times, waitedMs: 301 } }, 300, 301],
    ['is told from the others', link, 0, undefined],
  ])('%s', (_, carrier, readyMs, openingMs) => {
    const { record } = recorded({}, { carrier });
    expect(record).toMatchObject({ ...link, intendedNs: 0, readyNs: readyMs * 1e6, sentNs: 300e6 });
    expect(record?.openingNs).toBe(openingMs === undefined ? undefined : openingMs * 1e6);
    expect([record?.resolveNs, record?.connectNs, record?.handshakeNs]).toEqual(
      openingMs === undefined ? [undefined, undefined, undefined] : [150e6, 60e6, 80e6],
    );
  });
});

describe('an answer that is kept', () => {
  it.each<[string, Readonly<Record<string, string>>, string | undefined]>([
    ['is whole where no header says otherwise', { 'x-request-id': '1' }, undefined],
    ['is a page where a link leads to the next', { link: '</shades?page=2>; rel="next"' }, 'link'],
    ['is no page where links lead elsewhere', { link: '</docs>; rel="help"' }, undefined],
    ['is a page where a total is counted beside it', { 'x-total-count': '500' }, 'x-total-count'],
    ['is a page where a range is given', { 'content-range': 'items 0-99/500' }, 'content-range'],
  ])('%s', (_, headers, pagedBy) => {
    expect(recorded(headers).answer?.pagedBy).toBe(pagedBy);
  });
});

describe('the media type of an error', () => {
  const page = 'text/html';
  it.each<[string, number, string, string, string | undefined]>([
    ['may be that of JSON', 404, 'Application/JSON; charset=utf-8', '{}', undefined],
    ['may be that of a problem document', 404, 'application/problem+json', '{}', undefined],
    ['may be any where there is no body', 404, page, '', undefined],
    ['may be any where a limit rejects, maybe in a proxy', 429, page, '<p>', undefined],
    ['may be any where a gateway gives up', 502, page, '<p>', undefined],
    [
      'must not be that of a page for what is not found',
      404,
      page,
      '<p>',
      'a 404: expected application/json, got "text/html"',
    ],
    [
      'must not be that of a page for a wrong key',
      401,
      page,
      '<p>',
      'a 401: expected application/json, got "text/html"',
    ],
    [
      'must not be that of a text for a spent quota',
      402,
      'text/plain',
      'no',
      'a 402: expected application/json, got "text/plain"',
    ],
    ['must not be missing', 404, '', '{}', 'a 404: expected application/json, got none'],
  ])('%s', (_, status, type, body, problem) => {
    const { record } = recorded({ 'content-type': type }, { body, status });
    expect(record?.problem).toBe(problem === undefined ? undefined : `content-type of ${problem}`);
  });
});

/** What is wrong with the grants of sessions that come with these tokens, one after the other. */
function problems(
  sessions: readonly (readonly [sessionId: string, token: string])[],
  otherToken: 'refused' | 'unspecified' = 'unspecified',
  auth: 'session-token' | 'api-key' = 'session-token',
): (string | undefined)[] {
  const channel = { path: '/sessions/{session_id}/x', auth, other_token: otherToken };
  const { recorder, requests: records } = recording({ profile: profileSchema.parse({ channel }) });
  for (const [place, [session_id, token]] of sessions.entries()) {
    const call = createSession({ product_id: 'p', catalog_id: 'c', locale: 'en-GB' });
    const exchange = new Exchange(call, undefined, () => 0, { done: () => {} });
    const body = { session_id, token, expires_at: '2026-05-01T12:30:00Z', shade_count: 1 };
    exchange.onSent();
    exchange.onHead(200, { 'content-type': 'application/json' });
    exchange.onData(Buffer.from(JSON.stringify(body)));
    exchange.onEnd();
    const seq = place + 1;
    recorder.exchanged(
      { seq, stage: 'load', phase: 'x', credential: 'load', intendedNs: 0, readyNs: 0 },
      exchange,
    );
  }
  return records.map(({ problem }) => problem);
}

describe('the token of a session', () => {
  const twice = [
    ['s1', 'secret-1'],
    ['s2', 'secret-2'],
    ['s3', 'secret-1'],
  ] as const;

  it('is its own, where the profile promises that it is good for no other', () => {
    const found = problems(twice, 'refused');
    expect(found).toEqual([undefined, undefined, 'token: expected a new one, got that of request 1']);
    expect(String(found)).not.toContain('secret');
  });

  it('is its own, where those of a hundred sessions were', () => {
    const each = Array.from({ length: 100 }, (_, n) => [`s${n}`, `secret-${n}`] as const);
    expect(problems([...each, ['last', 'secret-70']]).at(-1)).toBe(
      'token: expected a new one, got that of request 71',
    );
    const shared = [...each.slice(0, 99), ['s', 'secret-3'], ...each, ['last', 'secret-70']] as const;
    expect(problems(shared).filter((each) => each !== undefined)).toEqual([]);
  });

  it.each([
    ['a line break at its end, as base64 encoders make it', 'c2VjcmV0\n', 'U+000A'],
    ['NUL', 'secret\0', 'U+0000'],
    ['€', '€secret', 'U+20AC'],
    ['half of a surrogate pair', 'secret\ud83d', 'U+D83D'],
  ])('is one that a header can carry: it has no %s', (_what, token, character) => {
    const found = problems([['s1', token]]);
    expect(found).toEqual([`token: expected characters that a header can carry, got ${character}`]);
    expect(problems([['s1', token]], 'unspecified', 'api-key')).toEqual([undefined]);
  });

  it('may be that of another, where the profile does not', () => {
    expect(problems(twice, 'unspecified')).toEqual([undefined, undefined, undefined]);
  });

  it('is the same where the same session is given again', () => {
    expect(problems([twice[0], twice[0]], 'refused')).toEqual([undefined, undefined]);
  });
});

describe('the problem document of a rejection', () => {
  const answer = {
    status: 429,
    bytes: 200,
    headers: { ratelimit: '"burst";r=0;t=3', 'content-type': 'application/problem+json; charset=utf-8' },
    json: () => ({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      status: 429,
      'violated-policies': ['burst', 'a "day"'],
    }),
  };

  it('is kept with the headers', () => {
    expect(limitHeadersOf(answer.headers, limitProblemOf(answer))).toBe(
      'ratelimit: "burst";r=0;t=3 | ratelimit-problem: "quota-exceeded";status=429, "burst", "a \\"day\\""',
    );
  });

  it.each([
    ['of another media type', { headers: { ...answer.headers, 'content-type': 'application/json' } }],
    [
      'of two media types',
      { headers: { ...answer.headers, 'content-type': ['text/html', 'text/html'] as unknown as string } },
    ],
    ['without limit headers', { headers: { 'content-type': 'application/problem+json' } }],
    ['that is no object', { json: () => 7 }],
    ['without a type', { json: () => ({ status: 429 }) }],
    ['of an admitted request', { status: 200 }],
    ['that is too large', { bytes: 1e6 }],
  ])('is not kept %s', (_, changed) => {
    expect(limitProblemOf({ ...answer, ...changed })).toBeUndefined();
  });
});

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
