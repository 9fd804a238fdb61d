/** A dependency of the service, mostly the database, cannot be reached at present. HTTP services answer 503. */
export class Unavailable extends Error {
  constructor(cause: unknown) {
    super('The database cannot be reached', { cause });
    this.name = 'Unavailable';
  }
}

/** An operator's mistake in a command or a setting. It is printed as one sentence, without a stack trace. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** What stops a command may pass without a change of its settings, such as an address in use: trying again makes sense. */
export class TemporaryError extends UsageError {
  constructor(message: string) {
    super(message);
    this.name = 'TemporaryError';
  }
}
