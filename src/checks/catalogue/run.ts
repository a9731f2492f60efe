import type { CheckEntry, Entries } from './entry.ts';

/** A group whose checks could not be computed. */
export const errorEntry: CheckEntry = {
  title: 'The checks of the group can be computed',
  needs: 'A history that can be read.',
};

/** A part of a scenario that a run had no room for. */
export const leftOutEntry: CheckEntry = {
  title: 'Every part of the scenario is run',
  needs: 'A budget and a scale that are enough for the part that the title names.',
};

/** Checks of the run itself: its records, its pace, its files. */
export const runEntries = {
  'books.interactions': {
    title: 'Every event of the history belongs to the request that sent it',
    needs: 'A history with events.',
  },
  'books.planned': {
    title: 'Each planned request has exactly one record',
    needs: 'A scenario with a planned load.',
  },
  'books.records': {
    title: 'Each record has one outcome, times in order, and a unique number',
    needs: 'At least one record.',
  },
  'books.sent': {
    title: 'Every request is sent or not sent, and every sent request is answered or lost',
    needs: 'At least one record.',
  },
  'generator.send-lag': {
    title: 'Planned requests are sent on time: p99 of the delay within `send_lag_bound`',
    needs: 'A scenario with a planned load.',
  },
  'generator.sockets': {
    title: 'The generator has a port, a descriptor and memory for every request, and holds none back',
    needs: 'At least one sent request.',
  },
  'generator.stalls': {
    title: 'The process of tryon does not pause under load',
    needs: 'A scenario with a load; a study alone is not watched.',
  },
  'history.complete': {
    title: 'The run is complete: nothing ended it early',
    needs: 'The folder of a run.',
  },
  'history.integrity': {
    title: 'The files of the history are unchanged since the run',
    needs: 'The folder of a run.',
  },
} as const satisfies Entries<'books' | 'generator' | 'history'>;
