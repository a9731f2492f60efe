import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLong, rowsOf } from '../effort.ts';
import { type ForeignChoices, startForeignService } from './foreign-service.ts';
import {
  atMost,
  patiently,
  profileArguments,
  readVerdicts,
  scenario as scenarioFile,
  temporaryFolder,
  tryon,
} from './program.ts';

const gate = atMost(2);
const scenario = scenarioFile('fields');
const analytics = { freshness: '1s', exclusive: true };
const channel = {
  path: '/sessions/{session_id}/interactions',
  auth: 'session-token',
  malformed: 'refused',
} as const;

/** A run with every malformed request against a service with these choices; its verdicts. */
async function verdictsOn(choices: ForeignChoices): Promise<ReturnType<typeof readVerdicts>> {
  return gate(async () => {
    const service = await startForeignService({ limit: { requests: 1_000, windowMs: 60_000 }, ...choices });
    const out = join(temporaryFolder(), 'run');
    try {
      await tryon(
        [
          ...['run', scenario, '--target', service.baseUrl, '--key', 'load=LOAD', '--out', out],
          ...profileArguments({ ...patiently, analytics, channel }),
        ],
        { env: { LOAD: service.keys.load } },
      );
      return readVerdicts(out);
    } finally {
      await service.close();
    }
  });
}

describe.concurrent('malformed requests', () => {
  const honest: readonly [string, ForeignChoices][] = [
    ['are rejected by an honest service', {}],
    ['are put right by another one, as far as that is possible', { strictness: 'lenient' }],
  ];
  it.runIf(isLong).each(honest)('%s', async (_, choices) => {
    const { checks } = await verdictsOn(choices);
    expect(checks.filter(({ id, verdict }) => verdict === 'fail' && !id.startsWith('latency.'))).toEqual([]);
    expect(checks.find(({ id }) => id === 'contract.malformed-requests')?.verdict).toBe('pass');
  });

  const broken: readonly [string, ForeignChoices, string][] = [
    [
      'make a service fail that uses a field before it looks at it',
      {
        sabotage: ({ method, url = '' }, response) => {
          const isFault = method === 'GET' && /sessions\/%zz$/.test(url);
          if (isFault) response.writeHead(500).end();
          return isFault;
        },
      },
      'malformed-request-fails',
    ],
    [
      'end the connection of a service that cannot decode a path',
      {
        sabotage: ({ socket, url = '' }) => {
          const isBroken = /sessions\/%(zz|ff)?$/.test(url);
          if (isBroken) socket.destroy();
          return isBroken;
        },
      },
      'requests-unanswered',
    ],
  ];
  it.each(rowsOf(broken, ([, , cause]) => cause === 'requests-unanswered'))(
    '%s',
    async (_, choices, cause) => {
      const { checks, diagnosis } = await verdictsOn(choices);
      const failed = checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
      expect(failed).toContain(
        cause === 'requests-unanswered' ? 'contract.availability' : 'contract.malformed-requests',
      );
      expect(diagnosis[0]?.cause).toBe(cause);
    },
  );
});
