/**
 * Gathers what comes in during one turn of the event loop and hands all of it on at its end. Requests are read in the
 * phase right before `setImmediate` runs: those of one turn had all been sent before the first of them is answered.
 */
export function gatherTurn<T>(work: (all: readonly T[]) => void): (one: T) => void {
  let waiting: T[] = [];
  const run = (): void => {
    const all = waiting;
    waiting = [];
    work(all);
  };
  return (one) => {
    if (waiting.push(one) === 1) setImmediate(run);
  };
}
