import { limiterNames } from '../../service/limiters.ts';
import { type ArgumentsOf, flag, numberOption, text, texts, wholeFrom } from '../options.ts';

/** The options of `tryon serve`. */
export const serveOptions = {
  port: numberOption('port', wholeFrom(0, 65_535), 'Port; 0 selects a free port', { default: 0 }),
  host: text('Address to listen on', { default: '127.0.0.1' }),
  db: text('Database file, which is kept. Default: a temporary file'),
  'rate-limit': text('Requests per window, for each key', { default: '1000/1m' }),
  limiter: { choices: limiterNames, default: 'sliding-log', describe: 'Algorithm of the rate limit' },
  plan: texts(
    'NAME=QUOTA: a pricing plan and its session quota, or "unlimited". Predefined: load, quota, bystander',
  ),
  key: texts('LABEL=PLAN[@ACCOUNT]: a key and its pricing plan. Default: a separate account for each key'),
  defect: texts('ID[,ID…]: defects to plant, to test whether they are detected'),
  variant: texts('NAME[,NAME…]: harmless differences in what the interface leaves open'),
  'list-defects': flag('List defects and variants, and exit'),
  json: flag('Print base_url and keys (or the list) as one line of JSON'),
  'power-safe': flag('Keep data in a power failure: one fsync for each write'),
  'session-lifetime': text('Time during which a session accepts events', { default: '30m' }),
  'exit-with-parent': { type: 'boolean', default: false, hidden: true },
  /** The starter may set the wall clock of the service by lines on standard input. */
  'clock-by-stdin': { type: 'boolean', default: false, hidden: true },
} as const;

export type ServeArguments = ArgumentsOf<typeof serveOptions>;
