import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Buffers of less than this are worth no collection, which takes tens of milliseconds. */
const muchBytes = 64 * 2 ** 20;

/**
 * Has V8 free what is no longer used, where that may be much. Columns of ten million requests lie outside its heap, and it
 * does not know that another reader, DuckDB, needs room: left to itself it frees them when it next needs some.
 */
export function collectGarbage(): void {
  if (process.memoryUsage().arrayBuffers < muchBytes) return;
  v8.setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
