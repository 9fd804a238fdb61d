/** What may be known already, or is waited for. */
export type Known<T> = T | Promise<T>;

/** Goes on with a value: at once where it is known already, which saves a turn through the queue of promises. */
export function whenKnown<T, R>(value: Known<T>, go: (value: T) => Known<R>): Known<R> {
  return value instanceof Promise ? value.then((known) => go(known)) : go(value);
}
