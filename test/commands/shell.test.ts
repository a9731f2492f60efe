import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeFreeFolder, onInterrupt } from '../../src/commands/shell.ts';

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

describe('Ctrl-C', () => {
  it('that arrives three times at once is one; the next one is another; after the end there are none', async () => {
    const heard: string[] = [];
    const off = onInterrupt(
      () => heard.push('first'),
      () => heard.push('again'),
    );
    onTestFinished(off);
    for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM'] as const) process.emit(signal);
    expect(heard).toEqual(['first']);
    await sleep(400);
    process.emit('SIGINT');
    process.emit('SIGTERM');
    expect(heard).toEqual(['first', 'again', 'again']);
    const listeners = process.listenerCount('SIGINT');
    off();
    expect(process.listenerCount('SIGINT')).toBe(listeners - 1);
  });
});
