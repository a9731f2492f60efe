import type { History } from './history.ts';

/** The same question to the same open history is asked once, however many reports want its answer. */
export function oncePerHistory<T>(ask: (history: History) => Promise<T>): (history: History) => Promise<T> {
  const answers = new WeakMap<History, Promise<T>>();
  return (history) => {
    let answer = answers.get(history);
    if (answer === undefined) {
      answer = ask(history);
      answers.set(history, answer);
    }
    return answer;
  };
}
