import { counted, listed, number, ordinal, verb } from '../../amounts.ts';
import { eitherText } from '../reasons/words/requests.ts';
import { figures, relations, wrongSums } from './explained.ts';
import { kind } from './kind.ts';

/** What is counted of interactions that are not stored as they were sent. */
const selectionChecks = [
  'contract.reads-agree',
  'analytics.sessions',
  'analytics.conventions',
  'analytics.avg-shades',
  'analytics.cart-intent',
  'analytics.top-shades',
  'analytics.additivity',
  'analytics.product-filter',
] as const;

/** Causes in how sessions and their interactions are kept. */
export const sessionCauses = {
  'session-disappears': kind<{ readonly reads: number; readonly status: number }>({
    text: ({ reads, status }) =>
      `Sessions that exist are not found: ${counted(reads, 'request')} ${verb(reads, 'gets', 'get')} ${status}.`,
    behind:
      'A replica that is behind (`session_visible` in the profile), a write that is acknowledged before it is stored, or a cache that evicts sessions.',
    explains: [
      'contract.canary',
      'contract.errors',
      'analytics.sessions',
      'analytics.total-sessions',
      'analytics.avg-shades',
      'analytics.cart-intent',
      'analytics.top-shades',
    ],
    covers: ['interactions-lost', 'sessions-counted-wrong', 'selections-counted-wrong'],
  }),
  'session-id-reused': kind<{ readonly sessions: number }>({
    text: ({ sessions }) =>
      `Session ids repeat: ${counted(sessions, 'session')} ${verb(sessions, 'has', 'have')} the id of an earlier one.`,
    behind: 'Ids that are made from the time or from too few random bits.',
    explains: ['analytics.sessions', ...figures, ...relations],
    // The token of the later session is not that of the earlier one.
    covers: [
      ...wrongSums,
      'foreign-interactions',
      'session-changed',
      'unexpected-status',
      'product-filter-ignored',
      'mean-of-other',
    ],
  }),
  'session-token-reused': kind<{ readonly sessions: number }>({
    text: ({ sessions }) =>
      `Sessions share a token: ${counted(sessions, 'session')} ${verb(sessions, 'has', 'have')} that of an earlier one.`,
    behind: 'Tokens that are cached, or made from the key and the time alone.',
    explains: ['contract.answers', 'contract.acts-other-token'],
    covers: ['foreign-token-accepted'],
  }),
  'session-changed': kind<{ readonly fields: readonly string[] }>({
    text: ({ fields }) =>
      `Sessions do not read back as they were created: the difference is in ${listed(fields)}.`,
    behind: 'A field that is not stored, is overwritten by a default, or belongs to another row.',
    explains: ['contract.canary', 'analytics.sessions'],
  }),
  'session-read-stale': kind<{ readonly interactions: number }>({
    text: ({ interactions }) =>
      `A session keeps the history of its first read: events after it are missing (${number(interactions)}), and no others.`,
    behind: 'A cache of sessions, maybe one for each process or connection, that an event does not clear.',
    explains: ['contract.acts-at-once', 'contract.reads-agree', 'analytics.sessions'],
    covers: ['interactions-lost', 'concurrent-interactions-lost', 'history-changes'],
  }),
  'expiry-not-utc': kind<{ readonly sessions: number }>({
    text: ({ sessions }) =>
      `In ${counted(sessions, 'new session')}, \`expires_at\` is not an ISO 8601 time in UTC.`,
    behind: 'A date that is formatted in the server’s time zone.',
    explains: ['contract.expiry', 'contract.answers', 'contract.canary'],
    covers: ['answers-malformed'],
  }),
  'interactions-lost': kind<{ readonly interactions: number; readonly first?: number }>({
    text: ({ first, interactions }) =>
      `The history lacks ${counted(interactions, 'acknowledged event')}.${first === undefined ? '' : ` The first of them was event ${number(first)} of the run.`}`,
    behind: 'A queue that drops what it has acknowledged, or a history that is cut to a length.',
    explains: ['contract.acts-at-once', ...selectionChecks],
    covers: ['selections-counted-wrong'],
  }),
  'interactions-lost-alone': kind<{ readonly interactions: number; readonly alone: number }>({
    text: ({ alone, interactions }) =>
      `Events get lost, and not only where several arrive at the same time: the history lacks ${counted(interactions, 'acknowledged event')}, and ${number(alone)} of them came alone.`,
    behind:
      'An event that is taken for the repetition of another one, or a queue that drops what it has acknowledged.',
    explains: ['contract.acts-at-once', ...selectionChecks],
    covers: ['interactions-lost', 'concurrent-interactions-lost', 'selections-counted-wrong'],
  }),
  'concurrent-interactions-lost': kind<{ readonly interactions: number }>({
    text: ({ interactions }) =>
      `Events that arrive at the same time get lost: the history lacks ${counted(interactions, 'acknowledged event')}.`,
    behind: 'A history that is read, changed and written back without a lock.',
    explains: ['contract.acts-at-once', ...selectionChecks],
    covers: ['interactions-lost', 'selections-counted-wrong'],
  }),
  'repeated-selections-merged': kind<{ readonly interactions: number }>({
    text: ({ interactions }) =>
      `A shade that is selected again in a session is kept once: ${counted(interactions, 'acknowledged event')} ${verb(interactions, 'is', 'are')} missing.`,
    behind: 'A set of shades, or a unique key over session and SKU, in place of a list of events.',
    explains: selectionChecks,
    covers: ['interactions-lost', 'selections-counted-wrong', 'sessions-for-selections'],
  }),
  'repeated-interaction-stored': kind<{ readonly repeated: number }>({
    text: ({ repeated }) =>
      `An event that is sent again is stored again: ${counted(repeated, 'history entry', 'history entries')} ${verb(repeated, 'repeats', 'repeat')} an id.`,
    behind: 'An event id that is not used as a key, or a wrong value in the profile (`channel.repeated_id`).',
    explains: ['contract.acts-again', ...selectionChecks],
    covers: ['repeats-counted', 'selections-counted-wrong', 'foreign-interactions'],
  }),
  'event-in-other-session': kind<{ readonly interactions: number }>({
    text: ({ interactions }) =>
      `Histories show events that were sent to another session: ${number(interactions)}.`,
    behind: 'A variable that requests at the same time share, or a batch that is split by a wrong key.',
    explains: selectionChecks,
    covers: [
      'foreign-interactions',
      'every-nth-event-lost',
      'interactions-lost',
      'selections-counted-wrong',
      'repeated-selections-merged',
    ],
  }),
  'every-nth-event-lost': kind<{ readonly nth: number; readonly interactions: number }>({
    text: ({ interactions, nth }) =>
      `Every ${ordinal(nth)} event is lost: ${counted(interactions, 'acknowledged event')} ${verb(interactions, 'is', 'are')} missing.`,
    behind: 'A buffer or a batch of that size, whose first or last entry is not written.',
    explains: ['contract.acts-at-once', ...selectionChecks],
    covers: [
      ...['interactions-lost', 'selections-counted-wrong', 'repeated-selections-merged'],
      ...['events-capped', 'part-not-counted'],
    ],
  }),
  'foreign-interactions': kind<{ readonly interactions: number }>({
    text: ({ interactions }) =>
      `Histories show ${counted(interactions, 'event')} that the run never sent to ${verb(interactions, 'that session', 'those sessions')}.`,
    behind: 'A query that joins by another column than the session, or a cache that mixes sessions.',
    explains: selectionChecks,
    covers: ['selections-counted-wrong'],
  }),
  'refused-interaction-stored': kind<{
    readonly interactions: number;
    readonly statuses: readonly number[];
  }>({
    text: ({ interactions, statuses }) =>
      `The history shows ${counted(interactions, 'event')} that the target rejected${statuses.length === 0 ? '' : ` with ${eitherText(statuses)}`}.`,
    behind: 'A write before the check, without a transaction around both.',
    explains: ['contract.acts-unknown-sku', 'contract.acts-other-token', ...selectionChecks],
    covers: ['selections-counted-wrong'],
  }),
  'interaction-changed': kind<{ readonly what: string; readonly interactions: number }>({
    text: ({ interactions, what }) =>
      `The history shows ${counted(interactions, 'event')} with another ${what} than sent.`,
    behind: 'A column that is mapped wrong, or a time without its time zone.',
    explains: selectionChecks,
    about: ({ what }) => what,
    covers: ['selections-counted-wrong'],
  }),
  'history-without-shades': kind<{ readonly interactions: number }>({
    text: ({ interactions }) =>
      `The history does not tell which shade was selected: ${counted(interactions, 'event')} ${verb(interactions, 'looks', 'look')} the same as events on other shades.`,
    behind: 'A serialiser that leaves the SKU out.',
    explains: selectionChecks,
    covers: ['selections-counted-wrong'],
  }),
  'history-order-wrong': kind<{ readonly interactions: number }>({
    area: 'analytics',
    text: ({ interactions }) =>
      `Histories have no single order: ${counted(interactions, 'event')} ${verb(interactions, 'is', 'are')} sorted neither by arrival nor by time.`,
    behind: 'A query without ORDER BY, or rows that are sorted by a column of whole seconds.',
    explains: ['analytics.sessions'],
  }),
} as const;
