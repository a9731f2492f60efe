import yargs from 'yargs';
import { serveCommand } from '../../src/commands/serve.ts';

// `tryon serve` alone, as a program that tests start and kill.
await yargs(process.argv.slice(2)).command(serveCommand).strict().parseAsync();
