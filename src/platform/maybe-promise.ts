/** What may be known already, or is waited for. */
export type Known<T> = T | Promise<T>;

/** Goes on with a value: at once where it is known already, which saves a turn through the queue of promises. */
export function whenKnown<T, R>(value: Known<T>, go: (value: T) => Known<R>): Known<R> {
  return value instanceof Promise ? value.then((known) => go(known)) : go(value);
}

/** As `promise.then(go, fail)`, synchronously where the value, or the error, is there already. */
export function settle<T, R>(
  work: () => Known<T>,
  go: (value: T) => Known<R>,
  fail: (error: unknown) => Known<R>,
): Known<R> {
  let value: Known<T>;
  try {
    value = work();
  } catch (error) {
    return fail(error);
  }
  return value instanceof Promise ? value.then(go, fail) : go(value);
}
