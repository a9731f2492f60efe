import { counted, number, verb } from '../../../amounts.ts';

/** Reasons of the accounting checks. */
export const accountingReasons = {
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
} as const;
