/** The message of the triggers that refuse every write to a database whose network moves to another one. */
export const CLOSED = 'The database is closed: its network moves to another database';
