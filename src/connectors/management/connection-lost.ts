import type { ManageReason } from '#store/game/watches/managed-servers.ts';

/** The connection ended or could not be established. */
export class ConnectionLost extends Error {
  readonly reason: ManageReason;

  constructor(reason: ManageReason) {
    super(`The connection is lost: ${reason}.`);
    this.reason = reason;
  }
}
