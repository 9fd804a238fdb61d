import { withObjection, withoutObjection } from '../text/ban-reason.ts';
import type { ManagedServer, ManagementCore } from './core.ts';
import { isOwnReference } from './events.ts';
import type { Ban } from './messages.ts';
import { bansByTurn } from './steps.ts';

/**
 * Maximum entries that one list replaces. The server writes its whole file for each entry, in the thread of the game; the
 * next list, five minutes later, replaces the next ones.
 */
const MAX_REPLACED = 50;

/**
 * Adds to the reasons in the list of bans how players object, as the plugins do at a join, and the id of the punishment.
 * Erased players get no id, because it leads to the pseudonym.
 */
export class Objections {
  readonly #core: ManagementCore;
  readonly #server: ManagedServer;
  /** The reasons that were written, by UUID. A server that shortens or refuses one gets it once. */
  readonly #written = new Map<string, string>();

  constructor(core: ManagementCore, server: ManagedServer) {
    this.#core = core;
    this.#server = server;
  }

  /** Whether a ban has the reason that was written here: the server announces each replaced entry. */
  has({ uuid, listedReason }: Ban): boolean {
    return this.#written.get(uuid) === listedReason;
  }

  /** The entries of a list, or of one announced ban, in the form in which they are to be replaced. */
  async replacements(entries: readonly unknown[]): Promise<object[]> {
    const replaced: object[] = [];
    for await (const bans of bansByTurn(entries)) {
      for (const [ban, reason] of await this.#reasonsOf(bans)) {
        if (reason === ban.listedReason || this.#written.get(ban.uuid) === reason) continue;
        if (replaced.length === MAX_REPLACED) return replaced;
        this.#written.set(ban.uuid, reason);
        replaced.push({ ...ban.entry, reason });
      }
    }
    return replaced;
  }

  /**
   * The bans that this connection reported, with the reasons that they should have. A replaced entry has another time, by which
   * an import of the server's file would not find the bans that it issued before.
   */
  async #reasonsOf(bans: readonly Ban[]): Promise<[Ban, string][]> {
    const { appeal, keyedHash } = this.#core;
    const state = this.#core.reportedState(this.#server);
    const listed = await state.listedBans(bans.map(({ uuid }) => keyedHash(uuid)));
    const reported = bans.filter(({ uuid }) => isOwnReference(listed.get(keyedHash(uuid))?.reference ?? ''));
    const issued = await state.issuedBans(reported.map(({ uuid }) => uuid));
    return reported.map((ban) => {
      const reason = withoutObjection(ban.listedReason);
      return [ban, withObjection(reason, issued.get(ban.uuid)?.id, appeal)];
    });
  }
}
