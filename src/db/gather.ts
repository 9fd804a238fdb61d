/**
 * Turns look-ups that many requests make at the same moment into one.
 * @param lookUp finds what belongs to each question, in their order
 */
export function gathered<Q, A>(
  lookUp: (questions: readonly Q[]) => Promise<readonly A[]>,
): (question: Q) => Promise<A> {
  let waiting: Gathering<Q, A> | undefined;
  return async (question) => {
    if (waiting === undefined) {
      const gathering = (waiting = { questions: [], found: Promise.withResolvers<readonly A[]>() });
      process.nextTick(() => {
        waiting = undefined;
        lookUp(gathering.questions).then(gathering.found.resolve, gathering.found.reject);
      });
    }
    const place = waiting.questions.push(question) - 1;
    return (await waiting.found.promise)[place]!;
  };
}

interface Gathering<Q, A> {
  questions: Q[];
  found: PromiseWithResolvers<readonly A[]>;
}
