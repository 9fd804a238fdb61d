/** What the service stands on (the database, mostly) cannot be reached for the moment. */
export class Unavailable extends Error {
  constructor(cause: unknown) {
    super('The database cannot be reached', { cause });
    this.name = 'Unavailable';
  }
}

/** An operator's mistake at the command line or in a setting: printed as one sentence, without a stack. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
