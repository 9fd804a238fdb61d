/**
 * Gathers what comes in during one turn of the event loop and hands it on at its end, so many at once; what is more waits
 * for the next turn, so that what the first ones leave behind is done with by then. Requests are read in the phase right
 * before `setImmediate` runs: those of one turn had all been sent before the first of them is answered.
 */
export function gatherTurn<T>(atOnce: number, work: (some: readonly T[]) => void): (one: T) => void {
  const waiting: T[] = [];
  const run = (): void => {
    const some = waiting.splice(0, atOnce);
    if (waiting.length > 0) setImmediate(run);
    work(some);
  };
  return (one) => {
    if (waiting.push(one) === 1) setImmediate(run);
  };
}
