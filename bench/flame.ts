/**
 * `flame.ts PROFILE.cpuprofile OUT.svg REQUESTS TITLE`: a flame graph of a run of `generators/ours.ts` under `--cpu-prof`,
 * from its first request on, in µs a request; prints the same by part of the program.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';

const schema = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string() }),
      children: z.array(z.number()).default([]),
    }),
  ),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});
const [, , profileFile = '', out = '', requests = '', title = ''] = process.argv;
const profile = schema.parse(JSON.parse(await readFile(profileFile, 'utf8')));
const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
const parents = new Map(profile.nodes.flatMap(({ children, id }) => children.map((child) => [child, id])));

interface Frame {
  readonly name: string;
  us: number;
  readonly below: Map<string, Frame>;
}

function pathOf(id: number): string[] {
  const names: string[] = [];
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
    const { functionName, url } = nodes.get(at)?.callFrame ?? { functionName: '', url: '' };
    const file = /(?:src|bench|node_modules)\/(.+)$/.exec(url)?.[1] ?? url;
    names.unshift(`${functionName === '' ? 'function' : functionName}${file === '' ? '' : ` ${file}`}`);
  }
  return names.slice(1);
}

const first = profile.samples.findIndex((id) =>
  pathOf(id).some((name) => / (?:src\/)?drive\/traffic/.test(name)),
);
const root: Frame = { name: title, us: 0, below: new Map() };
const parts = new Map<string, number>();
profile.samples.forEach((id, n) => {
  const path = pathOf(id);
  if (n < first || path[0] === '(idle)') return;
  const us = (profile.timeDeltas[n] ?? 0) / Number(requests);
  const last = path.findLast((name) => name.includes('.ts') || name.startsWith('(')) ?? '(program)';
  const own = path.at(-1)?.startsWith('write') === true ? 'system call: write' : last;
  const part = / (\S+)\/[^/]+$/.exec(own)?.[1] ?? own;
  parts.set(part, (parts.get(part) ?? 0) + us);
  let frame = root;
  root.us += us;
  for (const name of path) {
    const next: Frame = frame.below.get(name) ?? { name, us: 0, below: new Map() };
    frame.below.set(name, next);
    frame = next;
    frame.us += us;
  }
});
for (const [part, us] of [...parts].toSorted((a, b) => b[1] - a[1])) console.log(us.toFixed(2), part);

const [width, height, narrowest, deepest] = [1_200, 17, 2, 26];
const rows: string[] = [];
function draw(frame: Frame, x: number, depth: number): void {
  const wide = (frame.us / root.us) * width;
  if (wide < narrowest || depth > deepest) return;
  const shown = frame.name
    .slice(0, Math.floor(wide / 6.2))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;');
  const y = depth * height;
  const hue = frame.name.includes('.ts') ? 28 : 205;
  rows.push(
    `<rect x="${x.toFixed(1)}" y="${y}" width="${(wide - 0.5).toFixed(1)}" height="16" fill="hsl(${hue} 75% ${72 + (depth % 3) * 5}%)"><title>${frame.name.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}: ${frame.us.toFixed(2)} µs</title></rect>`,
    shown.length > 3 ? `<text x="${(x + 2).toFixed(1)}" y="${y + 12}">${shown}</text>` : '',
  );
  let at = x;
  for (const below of [...frame.below.values()].toSorted((a, b) => b.us - a.us)) {
    draw(below, at, depth + 1);
    at += (below.us / root.us) * width;
  }
}
draw({ ...root, name: `${title}: ${root.us.toFixed(1)} µs a request` }, 0, 0);
await writeFile(
  out,
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${(deepest + 1) * height}" font-family="monospace" font-size="10"><title>${title}</title>\n${rows.filter((row) => row !== '').join('\n')}\n</svg>\n`,
);
