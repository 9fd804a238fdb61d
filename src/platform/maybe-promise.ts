/** What may be known already, or is waited for. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value: at once where it is known already, which saves a turn through the queue of promises. */
export function mapMaybe<T, R>(value: MaybePromise<T>, go: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then((known) => go(known)) : go(value);
}

/** As `promise.then(go, fail)`, synchronously where the value, or the error, is there already. */
export function settle<T, R>(
  work: () => MaybePromise<T>,
  go: (value: T) => MaybePromise<R>,
  fail: (error: unknown) => MaybePromise<R>,
): MaybePromise<R> {
  let value: MaybePromise<T>;
  try {
    value = work();
  } catch (error) {
    return fail(error);
  }
  return value instanceof Promise ? value.then(go, fail) : go(value);
}
