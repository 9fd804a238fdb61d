/** What a session carries from its reading or its sign-in to its storing. None of it is stored. */
export interface SessionMarks {
  /** The id under which the request has found it; a session without one is new. */
  found_as?: string;
  /** If the person has just authenticated: `sign_ins_ended` of the account before that. */
  sign_ins_ended?: number;
}

/** A page tried to store a session that has ended, or that another request has given a new id. */
export class SessionEnded extends Error {}
