import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFreeFolder } from '../../src/commands/shell.ts';

it('each of several runs that begin in the same second has a folder of its own, named by the time', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'tryon-folders-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const reports = join(parent, 'reports');
  const folders = await Promise.all(Array.from({ length: 5 }, () => makeFreeFolder('smoke', reports)));
  expect(new Set(folders).size).toBe(5);
  for (const folder of folders) {
    expect(basename(folder)).toMatch(/^smoke-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(-\d)?$/);
    expect(existsSync(folder)).toBe(true);
  }
});
