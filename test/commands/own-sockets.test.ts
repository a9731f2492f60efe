import { expect, it } from 'vitest';
import { socketFindings } from '../../src/commands/first-steps/own-sockets.ts';

const machine = { files: 20_000, ports: 28_232, connections: 512, perMinute: 1_200, closes: false };

it.each<
  [sentence: string, machine: Partial<typeof machine>, files: string | undefined, ports: string | undefined]
>([
  ['has enough', {}, 'good', 'good'],
  ['has fewer descriptors than connections that a run may hold', { files: 400 }, 'part', 'good'],
  ['has hardly a descriptor beside those of the program', { files: 48 }, 'bad', 'good'],
  ['has fewer ports than connections', { ports: 400 }, 'good', 'part'],
  ['has a port for each connection, which the target keeps', { ports: 1_000 }, 'good', 'good'],
  [
    'has fewer ports than requests a minute, each of which uses one',
    { ports: 1_000, closes: true },
    'good',
    'part',
  ],
  ['has as many ports as that', { ports: 1_201, closes: true }, 'good', 'good'],
])('doctor says of a machine that %s so', (_, own, files, ports) => {
  expect(socketFindings({ ...machine, ...own }).map(({ state }) => state)).toEqual([files, ports]);
});

it('doctor says nothing of what the system does not say', () => {
  expect(socketFindings({ ...machine, files: undefined, ports: undefined })).toEqual([]);
});
