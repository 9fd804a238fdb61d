import type { ManageReason } from '#store/game/watches/managed-servers.ts';

/** A connection that ended, or that could not begin. */
export class ConnectionLost extends Error {
  readonly reason: ManageReason;

  constructor(reason: ManageReason) {
    super(`The connection is lost: ${reason}.`);
    this.reason = reason;
  }
}
