/** So many travel together: the answers to the first are worked on while the database looks for the others. */
const AT_ONCE = 16;

/**
 * Turns look-ups that many requests make at the same moment into few.
 * @param lookUp finds what belongs to each question, in their order
 */
export function gathered<Q, A>(
  lookUp: (questions: readonly Q[]) => Promise<readonly A[]>,
): (question: Q) => Promise<A> {
  let waiting: Gathering<Q, A> | undefined;
  const run = (gathering: Gathering<Q, A>): void => {
    if (waiting === gathering) waiting = undefined;
    lookUp(gathering.questions).then(gathering.found.resolve, gathering.found.reject);
  };
  return async (question) => {
    if (waiting === undefined) {
      const gathering = (waiting = { questions: [], found: Promise.withResolvers<readonly A[]>() });
      process.nextTick(() => {
        if (waiting === gathering) run(gathering);
      });
    }
    const gathering = waiting;
    const place = gathering.questions.push(question) - 1;
    if (place + 1 === AT_ONCE) run(gathering);
    return (await gathering.found.promise)[place]!;
  };
}

interface Gathering<Q, A> {
  questions: Q[];
  found: PromiseWithResolvers<readonly A[]>;
}
