import type { CheckEntry, Entries } from './entry.ts';

const ownDefect = 'The run has a defect of tryon or a damaged history; the target is not to blame.';
const reportIt = 'Check `history.integrity`, and report the defect if that check passed.';
const notMeasured = 'This check never fails; if it is inconclusive, tryon concludes nothing from latencies.';

/** A group whose checks could not be computed. */
export const errorEntry: CheckEntry = {
  title: 'The checks of the group can be computed',
  needs: 'A history that can be read.',
  failing: 'This check never fails; it is inconclusive, because nothing of the group was judged.',
  toDo: 'Report the message as a defect of tryon, together with the folder of the run.',
};

/** A part of a scenario that a run had no room for. */
export const leftOutEntry: CheckEntry = {
  title: 'Every part of the scenario is run',
  needs: 'A budget and a scale that are enough for the part that the title names.',
  failing: 'This check never fails; it is inconclusive, because that part was not run.',
  toDo: 'Raise the budget, the scale or the cap that the explanation names.',
};

/** Checks of the run itself: its records, its pace, its files. */
export const runEntries = {
  'books.interactions': {
    title: 'Every event of the history belongs to the request that sent it',
    needs: 'A history with events.',
    failing: ownDefect,
    toDo: reportIt,
  },
  'books.planned': {
    title: 'Each planned request has exactly one record',
    needs: 'A scenario with a planned load.',
    failing: ownDefect,
    toDo: reportIt,
  },
  'books.records': {
    title: 'Each record has one outcome, times in order, and a unique number',
    needs: 'At least one record.',
    failing: ownDefect,
    toDo: reportIt,
  },
  'books.sent': {
    title: 'Every request is sent or not sent, and every sent request is answered or lost',
    needs: 'At least one record.',
    failing: ownDefect,
    toDo: reportIt,
  },
  'generator.send-lag': {
    title: 'Planned requests are sent on time: p99 of the delay within `send_lag_bound`',
    needs: 'A scenario with a planned load.',
    failing: notMeasured,
    toDo: 'Use a faster or less busy machine, or more threads (`--workers auto`).',
  },
  'generator.sockets': {
    title: 'The generator has a port, a descriptor and memory for every request, and holds none back',
    needs: 'At least one sent request.',
    failing: notMeasured,
    toDo: 'Raise what the explanation names, such as `in_flight` in the profile or `ulimit -n`, or lower the load.',
  },
  'generator.stalls': {
    title: 'The process of tryon does not pause under load',
    needs: 'A scenario with a load; a study alone is not watched.',
    failing: notMeasured,
    toDo: 'Use a faster or less busy machine, and stop other programs on it.',
  },
  'history.complete': {
    title: 'The run is complete: nothing ended it early',
    needs: 'The folder of a run.',
    failing: 'This check never fails; if it is inconclusive, the run was cut short and covers less.',
    toDo: 'Read what ended the run, and repeat it.',
  },
  'history.integrity': {
    title: 'The files of the history are unchanged since the run',
    needs: 'The folder of a run.',
    failing: 'Files were changed after the run, so that its verdicts cannot be trusted.',
    toDo: 'Use the original folder, or repeat the run.',
  },
} as const satisfies Entries<'books' | 'generator' | 'history'>;
