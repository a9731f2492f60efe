import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { atEnd, serve } from '../e2e/program.ts';
import { isLong } from '../effort.ts';
import { noNetwork, openNetwork } from './network.ts';
import { isThere } from './reasons.ts';

describe.runIf(isLong && isThere('a network of several machines', noNetwork))('a network', () => {
  it('delays what a machine sends and what it receives', async () => {
    const network = openNetwork(2);
    atEnd(network.destroy);
    const [target, far] = network.machines;
    if (target === undefined || far === undefined) throw new Error('there are two');
    await far.trouble({ delayMs: 200 });
    const { baseUrl } = await serve(['--host', target.address], target.through);
    const program = `const start = performance.now();
      await fetch('${baseUrl}/health').then((answer) => answer.text());
      console.log(performance.now() - start);`;
    const [command = '', ...args] = far.through;
    const answeredMs = execFileSync(command, [
      ...args,
      process.execPath,
      '--input-type=module',
      '-e',
      program,
    ]);
    // Connecting is one round trip, the request another.
    expect(Number(answeredMs)).toBeGreaterThanOrEqual(4 * 200);
  });
});
