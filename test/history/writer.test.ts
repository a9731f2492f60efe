import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { historyFiles } from '../../src/history/files.ts';
import { HistoryWriter } from '../../src/history/writer.ts';
import { sampleRequest } from './sample.ts';
import { temporaryFolder } from './temporary-folder.ts';

afterEach(() => vi.restoreAllMocks());

/** From the n-th write on, a file takes half of what it gets, as a disk does that is full. */
async function fullFrom(write: number, dir: string): Promise<void> {
  const handle = await open(join(dir, 'any'), 'w');
  const prototype: typeof handle = Object.getPrototypeOf(handle);
  await handle.close();
  const { appendFile } = prototype;
  let writes = 0;
  vi.spyOn(prototype, 'appendFile').mockImplementation(async function (this: typeof handle, data) {
    if (++writes < write) return appendFile.call(this, data);
    const bytes = data as Uint8Array;
    await appendFile.call(this, bytes.subarray(0, bytes.length / 2));
    throw new Error('ENOSPC');
  });
}

const requests = 20;
/** Whole lines of a file, without a header. */
async function linesOf(dir: string, file: string): Promise<string[]> {
  const text = await readFile(join(dir, 'history', file), 'utf8');
  return text.split('\n').slice(file.endsWith('.csv') ? 1 : 0, -1);
}

describe('a history that can no longer be written', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 41, 42, 43, 44, 45])(
    'at write %i has, of each request in it, what that sent and what it was answered',
    async (write) => {
      const dir = await temporaryFolder();
      await fullFrom(write, dir);
      const writer = await HistoryWriter.create(dir);
      let flushing: Promise<void> | undefined;
      for (let seq = 1; seq <= requests; seq++) {
        writer.catalog({
          catalogId: 'c',
          productId: 'p',
          productName: 'P',
          sku: `s${seq}`,
          name: 'n',
          hex: '#000000',
          finish: 'f',
        });
        writer.interaction({ seq, id: `i${seq}`, sessionId: 's', sku: 'a', type: 'shade_selected', at: '' });
        // While the records before are on their way.
        writer.answer({ seq, endpoint: 'list-shades', query: {}, body: {} });
        writer.event({ kind: 'phase', name: 'p', startNs: seq, endNs: seq });
        writer.request(sampleRequest({ endpoint: 'list-shades' }, seq));
        await flushing;
        flushing = writer.flush();
      }
      await expect(writer.end()).rejects.toThrow('ENOSPC');
      const written = (await linesOf(dir, historyFiles.requests)).length;
      expect(written).toBeLessThan(requests);
      for (const file of Object.values(historyFiles))
        expect((await linesOf(dir, file)).length, file).toBeGreaterThanOrEqual(written);
    },
  );
});
