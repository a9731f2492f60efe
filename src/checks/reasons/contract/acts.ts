import { counted, number, times, verb } from '../../../amounts.ts';
import { wording } from '../wording.ts';
import { statusesText } from './got.ts';

const sentAs = {
  'unknown-sku': 'on a SKU that is in no catalog',
  'other-token': 'with the token of another session',
} as const;
/** What is wrong with an event that must not be stored. */
export type WrongEvent = keyof typeof sentAs;

interface SentEvent {
  readonly sent: WrongEvent;
  /** Of the answers; null: none. */
  readonly statuses: readonly (number | null)[];
}
const sentExample: SentEvent = { sent: 'unknown-sku', statuses: [202] };

function sentText({ sent, statuses }: SentEvent): string {
  return `An event ${sentAs[sent]} got ${statusesText(statuses.slice(0, 3))}`;
}

/** Reasons of the checks of events on the interaction channel. */
export const eventReasons = {
  'acts-at-once-lost': wording(
    { events: 3, sessions: 2, lost: 1 },
    ({ events, lost, sessions }) =>
      `Expected ${counted(events, 'event')} in the history of ${counted(sessions, 'session')}, got ${number(Math.max(0, events - lost))}. The events arrived at the same time, and the target acknowledged them.`,
  ),
  'acts-at-once-stored': wording(
    { events: 3, sessions: 2 },
    ({ events, sessions }) =>
      `None of ${counted(events, 'event')} that arrived at the same time in ${counted(sessions, 'session')} and were acknowledged is missing from the history.`,
  ),
  'acts-at-once-none': wording(
    {},
    () => 'No session got several events at the same time that the target acknowledged.',
  ),
  'acts-history-unreadable': wording(
    {},
    () => 'The history of the session does not show events in a readable form (profile: `session_history`).',
  ),
  'acts-history-not-read': wording({}, () => 'The session was not read back.'),
  'acts-again-repeated': wording(
    { events: 3, repeated: 1, most: 2 },
    ({ events, most, repeated }) =>
      `Expected an event that is sent again with its id once in the history, got it up to ${times(most)}. This concerns ${number(repeated)} of ${counted(events, 'event')}.`,
  ),
  'acts-again-unanswered': wording({}, () => 'No event that was sent again got an answer.'),
  'acts-again-once': wording(
    { events: 3 },
    ({ events }) =>
      `The history shows ${counted(events, 'event')} once, although ${verb(events, 'it was', 'they were')} sent again with the same id.`,
  ),
  'acts-stored': wording(
    sentExample,
    (params) => `${sentText(params)}. Expected no entry in the history of the session, got one.`,
  ),
  'acts-unclear': wording(
    sentExample,
    (params) => `${sentText(params)}. The history of the session does not show whether it was stored.`,
  ),
  'acts-rejected': wording(sentExample, (params) => `${sentText(params)}.`),
  'acts-dropped': wording(
    sentExample,
    (params) => `${sentText(params)}, and the history of its session does not show it.`,
  ),
} as const;
