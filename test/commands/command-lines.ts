import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import yargs, { type CommandModule } from 'yargs';
import { commands } from '../../src/commands/commands.ts';
import type { KnownCommand } from '../../src/commands/option.ts';

const root = join(import.meta.dirname, '../..');

/** A command line as somebody is told to type it: the words after `tryon`. */
export interface Told {
  readonly by: string;
  readonly line: string;
  readonly words: readonly string[];
}

/** What `tryon … --help` prints on a terminal of 80 columns. */
export function helpOf(...words: readonly string[]): string {
  let text = '';
  const line = yargs([])
    .locale('en')
    .scriptName('tryon')
    .wrap(80)
    .command([...commands]);
  line.parse([...words, '--help'], (_error: unknown, _args: unknown, output: string) => {
    text = output;
  });
  return text;
}

/** Names of all commands, with both words where there are two. */
export const names = commands.flatMap(({ children, command }) => {
  const [name = ''] = command.split(' ');
  return children.length === 0 ? [[name]] : children.map((child) => [name, child.command.replace(/ .*/, '')]);
}) as string[][];

/** The lines of the help of a command below `Examples:`. */
export function examplesOf(name: readonly string[]): readonly string[] {
  const [, block = ''] = helpOf(...name).split(/^Examples:\n/m);
  const [lines = ''] = block.split('\n\n');
  return lines.trimEnd().split('\n');
}

/** The examples of all commands. */
export function toldByHelp(): readonly Told[] {
  return names.flatMap((name) =>
    examplesOf(name).flatMap((line) => toldIn(line, `${name.join(' ')} --help`)),
  );
}

/** What README.md and the pages in docs/ have in blocks of shell. */
export function toldByDocs(): readonly Told[] {
  const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`)];
  return pages
    .filter((page) => page.endsWith('.md'))
    .flatMap((page) => {
      const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^ *```sh\n(.*?)^ *```/gms);
      return [...blocks].flatMap(([, text = '']) =>
        text
          .replaceAll('\\\n', ' ')
          .split('\n')
          .flatMap((line) => toldIn(line, page)),
      );
    });
}

/** The command lines in a line of a shell, without comments, redirections and what the shell does besides. A variable is 1. */
function toldIn(line: string, by: string): readonly Told[] {
  return [...line.replace(/(^|\s)#.*$/, '').matchAll(/(?:^|\s)tryon (?!-)([^|&;>]*)/g)].map(
    ([, rest = '']) => {
      const words = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) =>
        (quoted ?? bare ?? '').replace(/\$\w+/, '1'),
      );
      return { by, line: `tryon ${rest.trim()}`, words };
    },
  );
}

/** Why tryon does not understand a command line; undefined if it does. Nothing is done. */
export function mistakeIn(words: readonly string[]): string | undefined {
  const idle = commands.map(idleOf);
  try {
    const line = yargs([]).locale('en').command(idle).demandCommand(1).strict().exitProcess(false);
    line
      .fail((message, error) => {
        throw error ?? new Error(message);
      })
      .parseSync([...words]);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** A command that is parsed and not done; of two words, its second ones, too. */
function idleOf(command: KnownCommand): CommandModule {
  const handler = (): undefined => undefined;
  const { children } = command;
  if (children.length === 0) return { ...command, handler };
  return { ...command, handler, builder: (line) => line.command(children.map(idleOf)).demandCommand(1) };
}
