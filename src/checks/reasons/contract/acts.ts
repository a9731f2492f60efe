import { counted, number, times, verb } from '../../../amounts.ts';
import { statusesText } from './got.ts';

const sentAs = {
  'unknown-sku': 'on a SKU outside the catalog of its session',
  'other-token': 'with the token of another session',
  'altered-token': 'with a token whose last character is altered',
} as const;
/** What is wrong with an event that must not be stored. */
export type WrongEvent = keyof typeof sentAs;

interface SentEvent {
  readonly sent: WrongEvent;
  /** Of the answers; null: none. */
  readonly statuses: readonly (number | null)[];
}

function sentText({ sent, statuses }: SentEvent): string {
  return `An event ${sentAs[sent]} got ${statusesText(statuses.slice(0, 3))}`;
}

/** Reasons of the checks of events on the interaction channel. */
export const eventReasons = {
  'acts-at-once-lost': ({ events, lost, sessions }: { events: number; sessions: number; lost: number }) =>
    `Expected ${counted(events, 'event')} in the history of ${counted(sessions, 'session')}, got ${number(Math.max(0, events - lost))}. The events arrived at the same time, and the target acknowledged them.`,
  'acts-at-once-stored': ({ events, sessions }: { events: number; sessions: number }) =>
    `Of ${counted(events, 'acknowledged event')} that arrived at the same time in ${counted(sessions, 'session')}, 0 are missing from the history.`,
  'reads-agree': ({ pairs }: { pairs: number }) =>
    `In ${counted(pairs, 'pair')} of reads of the same session, the later one shows every event of the earlier one unchanged.`,
  'reads-differ': (params: { sessions: number; changed: number; lacking: number }) =>
    `Expected every event that was shown to stay as it was. In ${counted(params.sessions, 'pair')} of reads, the later one shows ${counted(params.changed, 'event')} with other values and lacks ${number(params.lacking)}.`,
  'acts-at-once-none': 'No session got several events at the same time that the target acknowledged.',
  'acts-history-unreadable':
    'The history of the session does not show events in a readable form (profile: `session_history`).',
  'acts-history-not-read': 'The session was not read back.',
  'acts-again-repeated': ({ events, most, repeated }: { events: number; repeated: number; most: number }) =>
    `Expected an event that is sent again with its id once in the history, got it up to ${times(most)}. This concerns ${number(repeated)} of ${counted(events, 'event')}.`,
  'acts-again-unanswered': 'No event that was sent again got an answer.',
  'acts-again-once': ({ events }: { events: number }) =>
    `The history shows ${counted(events, 'event')} once, although ${verb(events, 'it was', 'they were')} sent again with the same id.`,
  'acts-stored': (params: SentEvent) =>
    `${sentText(params)}. Expected no entry in the history of the session, got one.`,
  'acts-unclear': (params: SentEvent) =>
    `${sentText(params)}. The history of the session does not show whether it was stored.`,
  'acts-rejected': (params: SentEvent) => `${sentText(params)}.`,
  'acts-dropped': (params: SentEvent) =>
    `${sentText(params)}, and the history of its session does not show it.`,
} as const;
