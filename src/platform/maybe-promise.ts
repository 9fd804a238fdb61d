/** A value, or the promise of one. */
export type MaybePromise<T> = T | Promise<T>;

/** Like `promise.then(map)`, but synchronous for a plain value, which saves a pass through the microtask queue. */
export function mapMaybe<T, R>(value: MaybePromise<T>, map: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then((resolved) => map(resolved)) : map(value);
}

/** Like `promise.then(succeed, fail)`, but synchronous when `work` returns a plain value or throws. */
export function settle<T, R>(
  work: () => MaybePromise<T>,
  succeed: (value: T) => MaybePromise<R>,
  fail: (error: unknown) => MaybePromise<R>,
): MaybePromise<R> {
  let value: MaybePromise<T>;
  try {
    value = work();
  } catch (error) {
    return fail(error);
  }
  return value instanceof Promise ? value.then(succeed, fail) : succeed(value);
}
