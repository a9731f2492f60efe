import { counted, listed, number, times, verb } from '../../amounts.ts';
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
  'accounting-lanes': ({ inLanes, planned }: { planned: number; inLanes: number }) =>
    `Expected the lanes of the plan to have ${counted(planned, 'request')} together, as the plan has; they have ${number(inLanes)}.`,
  'accounting-repeated': ({ records }: { records: number }) =>
    `Expected one record for each planned request; ${counted(records, 'record')} ${verb(records, 'is a repeat', 'are repeats')}.`,
  'accounting-not-in-plan': ({ records }: { records: number }) =>
    `Expected every record of the load in the plan; ${counted(records, 'record')} ${verb(records, 'is', 'are')} not.`,
  'accounting-planned-outside': ({ records }: { records: number }) =>
    `Expected no planned request outside the load; ${counted(records, 'record')} ${verb(records, 'has', 'have')} a place in the plan.`,
  'accounting-missing': ({ missing, planned }: { missing: number; planned: number }) =>
    `Expected a record for ${counted(planned, 'planned request')}; ${number(missing)} ${verb(missing, 'has', 'have')} none.`,
  'accounting-planned': ({ planned }: { planned: number }) =>
    `The history has exactly one record for ${verb(planned, 'the', 'each of')} ${counted(planned, 'planned request')}.`,
  'accounting-sent': (params: { stage: string; records: number; sent: number; notSent: number }) =>
    `Expected ${counted(params.records, 'record')} of ${params.stage} to be sent or not sent, got ${number(params.sent)} sent and ${number(params.notSent)} not sent.`,
  'accounting-ended': ({ ended, sent, stage }: { stage: string; sent: number; ended: number }) =>
    `Expected ${counted(sent, 'sent request')} of ${stage} to be answered or lost, got ${number(ended)}.`,
  'accounting-no-records': 'The history has no record of any request.',
  'accounting-balanced': ({ records }: { records: number }) =>
    `Of ${counted(records, 'request')}, none is missing and none is counted twice.`,
  'accounting-sent-again': ({ requests }: { requests: number }) =>
    `Because the target had closed an idle connection, ${counted(requests, 'GET request')} ${verb(requests, 'was', 'were')} sent again. Each counts once, from the time at which it was first due.`,
  'accounting-outcome': ({ records }: { records: number }) =>
    `Expected exactly one outcome for each record; ${counted(records, 'record')} ${verb(records, 'has', 'have')} none or several.`,
  'accounting-times': ({ records }: { records: number }) =>
    `Expected the times of each record in order; ${counted(records, 'record')} ${verb(records, 'has', 'have')} them out of order.`,
  'accounting-number': ({ records }: { records: number }) =>
    `Expected a unique number for each record; ${counted(records, 'record')} ${verb(records, 'has', 'have')} none or one that is used twice.`,
  'accounting-sound': ({ records }: { records: number }) =>
    `No contradiction was found in ${counted(records, 'record')}.`,
  'accounting-events': ({ events }: { events: number }) =>
    `Events and requests match in ${counted(events, 'event')}: each belongs to a request, and each request has as many as it sent.`,
  'accounting-events-differ': ({ strays, unequal }: { strays: number; unequal: number }) =>
    `Expected events and requests to match, got ${counted(strays, 'event')} without a request and ${counted(unequal, 'request')} with another number of events.`,
  'send-lag-unmeasured': 'No planned request was sent.',
  'send-lag-over': ({ boundMs, p99Ms }: { p99Ms: number; boundMs: number }) =>
    `Expected a p99 of the send lag of at most ${number(boundMs)} ms (\`send_lag_bound\`), got ${number(p99Ms)} ms. The latencies include this delay of the generator.`,
  'send-lag-kept': ({ boundMs, p99Ms }: { p99Ms: number; boundMs: number }) =>
    `The p99 of the send lag is ${number(p99Ms)} ms, within the bound of ${number(boundMs)} ms.`,
  'stalls-unwatched': 'The generator did not watch itself under load.',
  'stalls-seen': ({ boundMs, seconds }: { boundMs: number; seconds: number }) =>
    `Expected the generator to pause for at most ${number(boundMs)} ms at a time; it paused longer in ${counted(seconds, 'second')} of the load.`,
  'stalls-of-worker': ({ name }: { name: string }) => `Worker ${name} paused the longest.`,
  'stalls-none': ({ boundMs, seconds }: { boundMs: number; seconds: number }) =>
    `The generator did not pause for more than ${number(boundMs)} ms in ${counted(seconds, 'second')} of the load.`,
  'sockets-held': ({ bound, held }: { held: number; bound: number }) =>
    `Expected the generator to hold back no request; it held back ${number(held)}, because ${number(bound)} ${verb(bound, 'was', 'were')} in flight already (\`in_flight\`). The latencies leave out what these requests would have seen.`,
  'sockets-used-up': ({ connections }: { connections: number }) =>
    `This machine had no port or file descriptor left for ${counted(connections, 'connection')}. That is a limit of the generator, not of the target; \`tryon doctor\` says what a scenario needs.`,
  'bodies-no-room': ({ requests }: { requests: number }) =>
    `The generator gave up on ${counted(requests, 'answer')}: the bodies under way would have taken more memory than it gives them.`,
  'sockets-unused': 'The run sent no request.',
  'sockets-free': 'No request was held back, and none lacked a port, a file descriptor or memory.',
  'checks-threw': ({ message }: { message: string }) =>
    `The check itself failed, so nothing is known: ${message}.`,
  'unanswered-left-out': ({ endpoints, requests }: { requests: number; endpoints: readonly string[] }) =>
    `No answer came to ${counted(requests, 'request')} (${listed(endpoints.map(requestText), 3)}). Nothing is concluded from ${requests === 1 ? 'it' : 'them'}.`,
  'left-out': ({ why }: { why: string }) => `Left out: ${why.replace(/\.$/, '')}.`,
  'generator-bound': ({ verdict }: { verdict: 'pass' | 'fail' }) =>
    `Without the delays of the generator, the verdict would be ${verdict}.`,
  redelivered: ({ deliveries }: { deliveries: number }) =>
    `Each request may have been delivered up to ${times(deliveries)} (profile: \`redeliveries\`).`,
  'defect-or-altered': 'This is a defect of tryon, or the history was altered.',
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
  'history-altered': ({ differences }: { differences: readonly string[] }) =>
    `The history was changed after the run: ${listed(differences, 3)}.`,
  'shards-lost': ({ lost, of, verdict }: { lost: readonly number[]; of: number; verdict: 'pass' | 'fail' }) =>
    `${lost.length === 1 ? 'Shard' : 'Shards'} ${lost.map(number).join(', ')} of ${number(of)} left no whole history, so what was sent there is unknown. ` +
    `Without that this check would ${verdict}.`,
  'run-cut-off': 'The history has no record of the end of the run.',
  'run-ended': ({ detail, how }: { how: keyof typeof endings; detail: string | null }) =>
    detail === null ? `${endings[how]}.` : `${endings[how]}: ${detail.replace(/\.$/, '')}.`,
} as const;
