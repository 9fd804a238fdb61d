/** A dependency of the service, mostly the database, cannot be reached at present. HTTP services answer 503. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';

  constructor(cause: unknown) {
    super('The database cannot be reached', { cause });
  }
}

/** An operator's mistake in a command or a setting. It is printed as one sentence, without a stack trace. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** A command failed for a temporary reason, such as an address in use, and may succeed with the same settings later. */
export class TemporaryError extends UsageError {
  override readonly name = 'TemporaryError';
}
