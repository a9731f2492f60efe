import { counted, listed, number } from '../../amounts.ts';
import { requestText } from './words/requests.ts';

const endings = {
  completed: 'The run is complete: nothing ended it early',
  interrupted: 'The run was interrupted',
  'kill-switch': 'The run gave up on a target that was failing',
  cap: 'The run reached a cap',
  error: 'The run ended in an error',
} as const;

/** Reasons of the accounting, generator and history checks, and of every group. */
export const runReasons = {
  'accounting-lanes':
    'Expected the lanes of the plan to have {planned:count request} together, as the plan has; they have {inLanes}.',
  'accounting-repeated':
    'Expected one record for each planned request; {records:count record} {records:is a repeat|are repeats}.',
  'accounting-not-in-plan':
    'Expected every record of the load in the plan; {records:count record} {records:is|are} not.',
  'accounting-planned-outside':
    'Expected no planned request outside the load; {records:count record} {records:has|have} a place in the plan.',
  'accounting-missing':
    'Expected a record for {planned:count planned request}; {missing} {missing:has|have} none.',
  'accounting-planned':
    'The history has exactly one record for {planned:the|each of} {planned:count planned request}.',
  'accounting-sent':
    'Expected {records:count record} of {stage:text} to be sent or not sent, got {sent} sent and {notSent} not sent.',
  'accounting-ended':
    'Expected {sent:count sent request} of {stage:text} to be answered or lost, got {ended}.',
  'accounting-no-records': 'The history has no record of any request.',
  'accounting-balanced': 'Of {records:count request}, none is missing and none is counted twice.',
  'accounting-sent-again':
    'Because the target had closed an idle connection, {requests:count GET request} {requests:was|were} sent again. Each counts once, from the time at which it was first due.',
  'accounting-outcome':
    'Expected exactly one outcome for each record; {records:count record} {records:has|have} none or several.',
  'accounting-times':
    'Expected the times of each record in order; {records:count record} {records:has|have} them out of order.',
  'accounting-number':
    'Expected a unique number for each record; {records:count record} {records:has|have} none or one that is used twice.',
  'accounting-sound': 'No contradiction was found in {records:count record}.',
  'accounting-events':
    'Events and requests match in {events:count event}: each belongs to a request, and each request has as many as it sent.',
  'accounting-events-differ':
    'Expected events and requests to match, got {strays:count event} without a request and {unequal:count request} with another number of events.',
  'send-lag-unmeasured': 'No planned request was sent.',
  'send-lag-over':
    'Expected a p99 of the send lag of at most {boundMs} ms (`send_lag_bound`), got {p99Ms} ms. The latencies include this delay of the generator.',
  'send-lag-kept': 'The p99 of the send lag is {p99Ms} ms, within the bound of {boundMs} ms.',
  'stalls-unwatched': 'The generator did not watch itself under load.',
  'stalls-seen':
    'Expected the generator to pause for at most {boundMs} ms at a time; it paused longer in {seconds:count second} of the load.',
  'stalls-of-worker': 'Worker {name:text} paused the longest.',
  'stalls-none':
    'The generator did not pause for more than {boundMs} ms in {seconds:count second} of the load.',
  'sockets-held':
    'Expected the generator to hold back no request; it held back {held}, because {bound} {bound:was|were} in flight already (`in_flight`). The latencies leave out what these requests would have seen.',
  'sockets-used-up':
    'This machine had no port or file descriptor left for {connections:count connection}. That is a limit of the generator, not of the target; `tryon doctor` says what a scenario needs.',
  'bodies-no-room':
    'The generator gave up on {requests:count answer}: the bodies under way would have taken more memory than it gives them.',
  'sockets-unused': 'The run sent no request.',
  'sockets-free': 'No request was held back, and none lacked a port, a file descriptor or memory.',
  'checks-threw': 'The check itself failed, so nothing is known: {message:text}.',
  'unanswered-left-out': ({ endpoints, requests }: { requests: number; endpoints: readonly string[] }) =>
    `No answer came to ${counted(requests, 'request')} (${listed(endpoints.map(requestText), 3)}). Nothing is concluded from ${requests === 1 ? 'it' : 'them'}.`,
  'left-out': ({ why }: { why: string }) => `Left out: ${why.replace(/\.$/, '')}.`,
  'generator-bound': 'Without the delays of the generator, the verdict would be {verdict:text}.',
  redelivered: 'Each request may have been delivered up to {deliveries:times} (profile: `redeliveries`).',
  'history-intact': 'Every file has the length and the digest that it had when the run closed it.',
  'history-recovered': ({
    cut,
    leftOut,
  }: {
    cut: readonly { readonly file: string; readonly bytes: number }[];
    leftOut: number;
  }) =>
    `The run ended before it closed the history, so the last records may be missing.${
      cut.length === 0
        ? ''
        : ` Incomplete records were cut: ${listed(cut.map(({ bytes, file }) => `${counted(bytes, 'byte')} of ${file}`))}.`
    }${leftOut === 0 ? '' : ` Left out, since a request before them is unknown: ${counted(leftOut, 'request')}.`}`,
  'history-altered': 'The history was changed after the run: {differences:list 3}.',
  'shards-lost': ({ lost, of, verdict }: { lost: readonly number[]; of: number; verdict: 'pass' | 'fail' }) =>
    `${lost.length === 1 ? 'Shard' : 'Shards'} ${lost.map(number).join(', ')} of ${number(of)} left no whole history, so what was sent there is unknown. ` +
    `Without that this check would ${verdict}.`,
  'run-cut-off': 'The history has no record of the end of the run.',
  'run-ended': ({ detail, how }: { how: keyof typeof endings; detail: string | null }) =>
    detail === null ? `${endings[how]}.` : `${endings[how]}: ${detail.replace(/\.$/, '')}.`,
} as const;
