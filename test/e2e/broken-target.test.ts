import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../src/checks/causes/cause.ts';
import type { ProfileInput } from '../../src/target/profile.ts';
import { type ForeignRun, runAgainst } from './foreign-run.ts';
import type { ForeignChoices } from './foreign-service.ts';
import { brief, failedGroups, leaks, patiently, scenario } from './program.ts';

type Sabotage = NonNullable<ForeignChoices['sabotage']>;

/** Answers every request alike. */
function always(status: number, type: string, text: string): Sabotage {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': type }).end(text);
    return true;
  };
}

const reset: Sabotage = (request) => {
  request.socket.resetAndDestroy();
  return true;
};

/** Sabotages from the n-th request on. */
function from(first: number, sabotage: Sabotage): Sabotage {
  return (request, response, count) => count >= first && sabotage(request, response, count);
}

/** Unavailable for a moment. */
const busy: Sabotage = (_request, response) => {
  response.writeHead(503, { 'retry-after': '1' }).end();
  return true;
};

/** Sabotages up to the n-th request. */
function until(last: number, sabotage: Sabotage): Sabotage {
  return (request, response, count) => count <= last && sabotage(request, response, count);
}

/** Repeats the caller's key and token in every possible place. */
const parrot: Sabotage = (request: IncomingMessage, response: ServerResponse) => {
  const secret = request.headers.authorization ?? '';
  for (const name of ['retry-after', 'x-ratelimit-limit', 'ratelimit-policy'])
    response.setHeader(name, secret);
  return false;
};

interface Expected {
  readonly code: number;
  /** A scenario of a minute, to see whether it is cut short. */
  readonly isLong?: boolean;
  readonly says?: RegExp;
  /** Groups with a failed check; not looked at when left out. */
  readonly failed?: readonly string[];
  readonly isReported?: boolean;
  /** How long the target may take to become ready. */
  readonly waits?: string;
  readonly profile?: ProfileInput;
  /** The checks that fail, all of them. */
  readonly accused?: readonly string[];
  readonly causes?: readonly CauseCode[];
}

const targets: readonly [sentence: string, sabotage: Sabotage, expected: Expected][] = [
  [
    'answers everything with a page of HTML',
    always(200, 'text/html', '<!doctype html><h1>Welcome</h1>'),
    { code: 1, failed: ['contract'] },
  ],
  [
    'answers everything with 500',
    always(500, 'text/plain', 'sorry'),
    {
      code: 4,
      says: /127\.0\.0\.1:\d+ was not ready within 1 s: the first request got 500/,
      isReported: false,
    },
  ],
  [
    'speaks no HTTP',
    (request) => {
      request.socket.end('220 mail.example ESMTP\r\n');
      return true;
    },
    { code: 4, says: /127\.0\.0\.1:\d+: the first request got no answer \(protocol\)/, isReported: false },
  ],
  [
    'resets every connection from the middle of the load on',
    from(80, reset),
    { code: 4, says: /gave up|kill/i, isLong: true },
  ],
  [
    'is not ready for its first requests, and repeats key and token in its headers',
    (...exchange) => parrot(...exchange) || until(4, busy)(...exchange),
    { code: 0, failed: [], waits: '20s' },
  ],
  [
    'answers 503 now and then, whatever it is asked',
    (request, response, count) => count % 50 === 0 && busy(request, response, count),
    // Which calls fail is a matter of the seed; the more exact cause is as right.
    {
      ...{ code: 1, says: /5xx/, accused: ['contract.errors'] },
      causes: [expect.stringMatching(/^(server-errors|every-nth-call)$/)],
    },
  ],
];

async function run(
  sabotage: Sabotage,
  { code, isLong: isCutShort = false, profile, waits = '1s' }: Expected,
): Promise<ForeignRun> {
  const choices: ForeignChoices = {
    limit: { requests: 100_000, windowMs: 60_000 },
    extraFields: true,
    // Whatever else is wrong, its ids are neither SQL nor commands of a terminal.
    sessionId: (count) => `s'\0\u001b[31m\u009b\u202e${count}`,
    sabotage,
  };
  return runAgainst(choices, {
    run: [isCutShort ? scenario('long') : (code === 0 ? scenario : brief)('shopping'), '--wait-ready', waits],
    profile: { ...patiently, analytics: { freshness: '1s' }, ...profile },
  });
}

describe.concurrent('a target that', () => {
  it.each(targets)('%s', async (_sentence, sabotage, expected) => {
    const { ended, out, service, verdicts: read } = await run(sabotage, expected);
    const output = ended.stdout + ended.stderr;
    expect(ended.code, output).toBe(expected.code);
    if (expected.says !== undefined) expect(output).toMatch(expected.says);
    expect(output).not.toMatch(/internal error/);
    expect(output).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    expect(leaks(out, ended, service.secrets())).toEqual([]);
    expect(existsSync(join(out, 'report.html'))).toBe(expected.isReported ?? true);
    if (expected.isReported === false) return;
    const verdicts = read();
    const accused = verdicts.checks.flatMap(({ id, verdict }) => (verdict === 'fail' ? id : []));
    if (expected.accused !== undefined) expect(accused, output).toEqual(expected.accused);
    if (expected.causes !== undefined)
      expect(verdicts.diagnosis.map(({ cause }) => cause)).toEqual(expected.causes);
    if (expected.failed !== undefined) expect(failedGroups(verdicts), output).toEqual(expected.failed);
    expect(
      verdicts.checks.filter(({ id, verdict }) => /^(books|history)\./.test(id) && verdict === 'fail'),
    ).toEqual([]);
    expect(verdicts.checks.filter(({ id }) => id.endsWith('.error'))).toEqual([]);
  });
});
