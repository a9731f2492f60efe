import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = join(import.meta.dirname, '../../../src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);

/** Files of the source that import a module whose path matches. */
function importing(path: RegExp): string[] {
  return files.filter((file) =>
    [...readFileSync(join(source, file), 'utf8').matchAll(/(?:from |import\(|import )'([^']+)'/g)].some(
      ([, imported = '']) => path.test(imported),
    ),
  );
}

describe('the SDK of OpenTelemetry', () => {
  it('is loaded by the exporting thread alone, so that nothing else waits for it', () => {
    expect(importing(/^@opentelemetry\//).toSorted()).toEqual([
      'drive/observe/export-worker.ts',
      'drive/observe/metrics.ts',
    ]);
    const users = [/\/observe\/metrics\.ts$/, /^\.\/metrics\.ts$/].flatMap(importing);
    expect(users.filter((file) => file.startsWith('drive/') || file.startsWith('commands/'))).toEqual([
      'drive/observe/export-worker.ts',
    ]);
    expect(importing(/\/export-worker\.ts$/)).toEqual([]);
  });
});
