/** What may be known already, or is waited for. */
export type Known<T> = T | Promise<T>;

/** Goes on with a value: at once where it is known already, which saves a turn through the queue of promises. */
export function then<T, R>(value: Known<T>, next: (value: T) => Known<R>): Known<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
