import { counted, number, verb } from '../../../amounts.ts';
import { wording } from '../wording.ts';

/** Reasons of the accounting checks. */
export const accountingReasons = {
  'accounting-lanes': wording(
    { planned: 9, inLanes: 8 },
    ({ inLanes, planned }) =>
      `Expected the lanes of the plan to have ${counted(planned, 'request')} together, as the plan has; they have ${number(inLanes)}.`,
  ),
  'accounting-repeated': wording(
    { records: 2 },
    ({ records }) =>
      `Expected one record for each planned request; ${counted(records, 'record')} ${verb(records, 'is a repeat', 'are repeats')}.`,
  ),
  'accounting-not-in-plan': wording(
    { records: 2 },
    ({ records }) =>
      `Expected every record of the load in the plan; ${counted(records, 'record')} ${verb(records, 'is', 'are')} not.`,
  ),
  'accounting-planned-outside': wording(
    { records: 2 },
    ({ records }) =>
      `Expected no planned request outside the load; ${counted(records, 'record')} ${verb(records, 'has', 'have')} a place in the plan.`,
  ),
  'accounting-missing': wording(
    { missing: 2, planned: 9 },
    ({ missing, planned }) =>
      `Expected a record for ${counted(planned, 'planned request')}; ${number(missing)} ${verb(missing, 'has', 'have')} none.`,
  ),
  'accounting-planned': wording(
    { planned: 9 },
    ({ planned }) =>
      `The history has exactly one record for ${verb(planned, 'the', 'each of')} ${counted(planned, 'planned request')}.`,
  ),
  'accounting-sent': wording(
    { stage: 'load', records: 9, sent: 8, notSent: 0 },
    ({ notSent, records, sent, stage }) =>
      `Expected ${counted(records, 'record')} of ${stage} to be sent or not sent, got ${number(sent)} sent and ${number(notSent)} not sent.`,
  ),
  'accounting-ended': wording(
    { stage: 'load', sent: 9, ended: 8 },
    ({ ended, sent, stage }) =>
      `Expected ${counted(sent, 'sent request')} of ${stage} to be answered or lost, got ${number(ended)}.`,
  ),
  'accounting-no-records': wording({}, () => 'The history has no record of any request.'),
  'accounting-balanced': wording(
    { records: 9 },
    ({ records }) => `Of ${counted(records, 'request')}, none is missing and none is counted twice.`,
  ),
  'accounting-sent-again': wording(
    { requests: 3 },
    ({ requests }) =>
      `Because the target had closed an idle connection, ${counted(requests, 'GET request')} ${verb(requests, 'was', 'were')} sent again. Each counts once, from the time at which it was first due.`,
  ),
  'accounting-outcome': wording(
    { records: 3 },
    ({ records }) =>
      `Expected exactly one outcome for each record; ${counted(records, 'record')} ${verb(records, 'has', 'have')} none or several.`,
  ),
  'accounting-times': wording(
    { records: 3 },
    ({ records }) =>
      `Expected the times of each record in order; ${counted(records, 'record')} ${verb(records, 'has', 'have')} them out of order.`,
  ),
  'accounting-number': wording(
    { records: 3 },
    ({ records }) =>
      `Expected a unique number for each record; ${counted(records, 'record')} ${verb(records, 'has', 'have')} none or one that is used twice.`,
  ),
  'accounting-sound': wording(
    { records: 9 },
    ({ records }) => `No contradiction was found in ${counted(records, 'record')}.`,
  ),
  'accounting-events': wording(
    { events: 9 },
    ({ events }) =>
      `Events and requests match in ${counted(events, 'event')}: each belongs to a request, and each request has as many as it sent.`,
  ),
  'accounting-events-differ': wording(
    { strays: 3, unequal: 2 },
    ({ strays, unequal }) =>
      `Expected events and requests to match, got ${counted(strays, 'event')} without a request and ${counted(unequal, 'request')} with another number of events.`,
  ),
} as const;
