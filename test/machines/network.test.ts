import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { atEnd, serve } from '../e2e/program.ts';
import { isLong } from '../effort.ts';
import { type Machine, noNetwork, openNetwork, type Trouble } from './network.ts';
import { isThere } from './reasons.ts';

describe.runIf(isLong && isThere('a network of several machines', noNetwork))('a network', () => {
  /** A service on one machine, and another machine whose packets are in trouble. */
  async function machinesWith(trouble: Trouble): Promise<{ readonly far: Machine; readonly url: string }> {
    const network = openNetwork(2);
    atEnd(network.destroy);
    const [target, far] = network.machines;
    if (target === undefined || far === undefined) throw new Error('there are two');
    await far.trouble(trouble);
    const { baseUrl } = await serve(['--host', target.address], target.through);
    return { far, url: `${baseUrl}/health` };
  }

  /** What a program prints that runs on a machine. */
  function printedOn({ through: [command = '', ...args] }: Machine, program: string): string {
    return execFileSync(command, [
      ...args,
      process.execPath,
      '--input-type=module',
      '-e',
      program,
    ]).toString();
  }

  it('delays what a machine sends and what it receives', async () => {
    const { far, url } = await machinesWith({ delayMs: 200 });
    const tookMs = printedOn(
      far,
      `const start = performance.now();
      await fetch('${url}').then((answer) => answer.text());
      process.stdout.write(String(performance.now() - start));`,
    );
    // Connecting is one round trip, the request another.
    expect(Number(tookMs)).toBeGreaterThanOrEqual(4 * 200);
  });

  it('loses what a machine sends and what it receives', async () => {
    const { far, url } = await machinesWith({ lossPercent: 99 });
    const end = printedOn(
      far,
      `const signal = AbortSignal.timeout(2_000);
      console.log(await fetch('${url}', { signal }).then(({ status }) => status, ({ name }) => name));`,
    );
    expect(end.trim()).toBe('TimeoutError');
  });
});
