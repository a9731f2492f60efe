import yargs from 'yargs';
import { commands } from '../../src/commands/commands.ts';

// `tryon serve` alone, as a program that tests start and kill.
await yargs(process.argv.slice(2))
  .command(commands.filter(({ command }) => command === 'serve'))
  .strict()
  .parseAsync();
