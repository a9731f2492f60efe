import type { FastifyInstance } from 'fastify';
import { buildService, startService } from '../../../src/service/server.ts';

/** A third-party limiter in front of the reference service, whose own limit never applies. */
export interface Fixture {
  /** Ends in `/v1`, without a slash. */
  readonly baseUrl: string;
  /** API keys of one account; each is limited apart from the others. */
  readonly keys: readonly [string, string];
  /** Ends everything that was started. */
  stop(): Promise<void>;
}

/** What was started, and has to be undone in reverse, also when starting something later fails. */
export class Started {
  readonly #undo: (() => unknown)[] = [];

  add(undo: () => unknown): void {
    this.#undo.push(undo);
  }

  readonly stop = async (): Promise<void> => {
    for (let undo = this.#undo.pop(); undo !== undefined; undo = this.#undo.pop()) await undo();
  };
}

/** Starts in steps; what has been started is stopped when a step fails. */
export async function startInSteps<Result>(steps: (started: Started) => Promise<Result>): Promise<Result> {
  const started = new Started();
  try {
    return await steps(started);
  } catch (error) {
    await started.stop();
    throw error;
  }
}

const keys = ['key-one', 'key-two'] as const;
/** What the probes ask for. */
export const probedPath = '/shades?catalog_id=spring';

/** The limit that counts is the other one's. */
function sayNothingOfLimits(app: FastifyInstance): void {
  app.addHook('onSend', async (_, reply) => {
    for (const name of Object.keys(reply.getHeaders()))
      if (/^ratelimit|^retry-after/i.test(name)) reply.removeHeader(name);
  });
}

/** Starts the reference service with a catalog, so that reads get a 200. Returns its port on 127.0.0.1. */
export async function startReference(started: Started): Promise<{ port: number; keys: Fixture['keys'] }> {
  const service = await startService(
    buildService(
      {
        databaseFile: ':memory:',
        plans: { roomy: Number.POSITIVE_INFINITY },
        keys: keys.map((secret) => ({ label: secret, secret, account: 'probed', plan: 'roomy' })),
        limiter: 'fixed-window',
        rateLimit: { requests: 1_000_000_000, windowMs: 1_000 },
      },
      { server: sayNothingOfLimits },
    ),
    { host: '127.0.0.1', port: 0 },
  );
  started.add(() => service.drain(100));
  const answer = await fetch(`${service.baseUrl}/shades`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      catalog_id: 'spring',
      shades: [{ sku: 'S1', name: 'Rose', hex: '#C0FFEE', finish: 'matte' }],
    }),
  });
  if (!answer.ok) throw new Error(`the reference service answered ${answer.status} to an import of shades`);
  return { port: Number(new URL(service.baseUrl).port), keys };
}
