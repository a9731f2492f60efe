import { describe, expect, it } from 'vitest';
import { atMost, brief, temporaryFolder, tryon } from './program.ts';

const gate = atMost(2);

/** Surroundings in which each process of a command has a defect: `code` throws what nothing catches. */
function defective(command: string, code: string): { readonly env: Readonly<Record<string, string>> } {
  const source = `if (process.argv[2] === '${command}') ${code}`;
  return { env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` } };
}
// As if a text of the target were part of it.
const thrown = String.raw`throw new TypeError('planted defect\u001b[31m\0\r\u009b\u202e\ntryon: PASS')`;

describe.concurrent('a defect of tryon exits 70, and its stack is printed', () => {
  it('in a command that has begun', async () => {
    const later = defective('serve', `setTimeout(() => { ${thrown}; }, 1000);`);
    const { code, stderr } = await gate(() => tryon(['serve'], later));
    expect([code, stderr]).toEqual([
      70,
      expect.stringMatching(
        /^tryon: internal error: TypeError: planted defect\\u001b\[31m\\u0000 \\u009b\\u202e\n {2}tryon: PASS\n +at /,
      ),
    ]);
  });

  it('in a promise that nothing waits for', async () => {
    const rejected = defective('serve', `setTimeout(async () => { ${thrown}; }, 1000);`);
    const { code, stderr } = await gate(() => tryon(['serve'], rejected));
    expect([code, stderr]).toEqual([70, expect.stringContaining('planted defect')]);
  });

  it('in the embedded service of a run: it is not a target that cannot be reached', async () => {
    const out = `${temporaryFolder()}/out`;
    const inService = defective('serve', `process.nextTick(() => { ${thrown}; });`);
    const { code, stderr } = await gate(() => tryon(['run', brief('glance'), '--out', out], inService));
    expect([code, stderr]).toEqual([70, expect.stringContaining('planted defect')]);
  });

  it('in the reading of an answer: the target is not accused of a lost one', async () => {
    const out = `${temporaryFolder()}/out`;
    // The defect is where the load's answers are read; set-up reads its answers with undici.
    const inReader = defective(
      'run',
      `{ const { copy } = Buffer.prototype; Buffer.prototype.copy = function (...args) {
         if (new Error().stack.includes('/target/http/connection')) ${thrown}; return copy.apply(this, args); }; }`,
    );
    const { code, stderr } = await gate(() => tryon(['run', brief('glance'), '--out', out], inReader));
    expect([code, stderr]).toEqual([70, expect.stringContaining('planted defect')]);
  });
});
