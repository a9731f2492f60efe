import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { editsOf, type Operator } from './operators.ts';
import { isParsable, nameOf, placesOf } from './syntax.ts';

/** A file of the reference service. */
interface SourceFile {
  /** Path below `src/`, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** The reference service with one change. */
export interface Mutant {
  /** Stays the same when its line moves, also to another file. */
  readonly id: string;
  readonly operator: Operator;
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** Where the change begins, in characters of the file. */
  readonly start: number;
  /** The function around it. Empty at the top of a file. */
  readonly name: string;
  /** The changed lines, as they were and as they are. */
  readonly before: string;
  readonly after: string;
  /** The whole file with the change. */
  readonly text: string;
}

/** Defects and variants are changes already, and so is what they are made with. */
const isAlteration = (path: string): boolean => /\/(defects|variants|alterations)\b/.test(path);

/** The files of the reference service, without its defects and variants, in the order of their paths. */
export async function serviceFiles(): Promise<SourceFile[]> {
  const source = fileURLToPath(new URL('../..', import.meta.url));
  const folder = join(source, 'service');
  const names = await readdir(folder, { recursive: true });
  const paths = names
    .map((name) => relative(source, join(folder, name)).split(sep).join('/'))
    .filter((path) => path.endsWith('.ts') && !isAlteration(path))
    .sort();
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(source, path), 'utf8') })));
}

/** Every mutant of the files, in the order of the files and of the places in them. Each can be parsed. */
export function mutantsOf(files: readonly SourceFile[]): Mutant[] {
  const seen = new Map<string, number>();
  return files.flatMap((file) => [...mutantsOfFile(file, seen)]);
}

function* mutantsOfFile({ path, text }: SourceFile, seen: Map<string, number>): Generator<Mutant> {
  const texts = new Set([text]);
  for (const place of placesOf(text)) {
    for (const { end, operator, start, text: inserted } of editsOf(place, text)) {
      const mutated = text.slice(0, start) + inserted + text.slice(end);
      if (texts.has(mutated) || !isParsable(mutated)) continue;
      texts.add(mutated);
      const name = nameOf(place.around);
      const lineStart = text.lastIndexOf('\n', start - 1) + 1;
      const lineEnd = endOfLine(text, end);
      const before = trimmed(text.slice(lineStart, lineEnd));
      const after = trimmed(mutated.slice(lineStart, lineEnd + mutated.length - text.length));
      const kind = hash('sha256', JSON.stringify([operator, name, before, after])).slice(0, 10);
      const nth = (seen.get(kind) ?? 0) + 1;
      seen.set(kind, nth);
      yield {
        id: nth === 1 ? kind : `${kind}-${nth}`,
        operator,
        path,
        line: text.slice(0, start).split('\n').length,
        start,
        name,
        before,
        after,
        text: mutated,
      };
    }
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

/** Lines without the indentation that they share. */
function trimmed(lines: string): string {
  const all = lines.split('\n').filter((line, index) => index === 0 || line.trim() !== '');
  const least = Math.min(...all.map((line) => line.length - line.trimStart().length));
  return all.map((line) => line.slice(least)).join('\n');
}

/** The changed lines with `-` and `+` before them. Longer ones are cut. */
export function diffOf({ after, before }: Pick<Mutant, 'after' | 'before'>, atMost = 8): string {
  const marked = (text: string, mark: string): string[] => {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const shown = lines.length > atMost ? [...lines.slice(0, atMost), '…'] : lines;
    return shown.map((line) => `${mark} ${line}`);
  };
  return [...marked(before, '-'), ...marked(after, '+')].join('\n');
}
