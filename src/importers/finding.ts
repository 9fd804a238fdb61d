import type { WireEvent } from '#events/schema.ts';

/**
 * What an importer finds, in the order it finds it: an event to take, a refusal of a file or a part of it, a note for
 * whoever runs the import, or something that is known to be so already. `place` says where in the file, and is empty
 * where the whole file is meant. `weight` says for how many small events a large one counts.
 */
export type Finding = Where &
  ({ event: WireEvent; weight?: number } | { refusal: string } | { note: string } | { unchanged: string });

export interface Where {
  file: string;
  place: string;
}

/** Thrown by what reads a file: why it, or the part of it at `place`, cannot be taken. */
export class ImportRefusal extends Error {
  readonly place: string;

  constructor(reason: string, place = '') {
    super(reason);
    this.name = 'Refused';
    this.place = place;
  }
}
