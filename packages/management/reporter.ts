import type { IssuedBan, ListedBan, ManagedServer, ManagementCore, OnlinePlayer, ServerTransaction } from './core.ts';
import {
  bannedEvent,
  banChangedEvent,
  contentOf,
  isAboutOwnBan,
  newReference,
  presenceEvent,
  sessionEvent,
  unbannedEvent,
} from './events.ts';
import type { Ban } from './messages.ts';
import type { Step } from './steps.ts';
import type { Event } from '../sender/event.ts';

/**
 * Commits steps, their events and the new state in one transaction. After an interruption the next connection finds the
 * missing steps by comparing the lists of the server with that state.
 * @param isListed whether the steps come from a list of the server
 * @returns whether the server reports itself
 * @throws ConnectionLost if the steps add more players than a server may; nothing was committed
 * @throws NoLongerHeld
 */
export async function reportSteps(
  core: ManagementCore,
  server: ManagedServer,
  steps: readonly Step[],
  isListed: boolean,
): Promise<boolean> {
  let isReportingItself = false;
  const added = new Set(steps.flatMap((step) => addedPlayer(step) ?? []));
  await core.change(server, [...added], async (tx) => {
    const change = await Change.begin(tx, { serverName: server.serverName, keyedHash: core.keyedHash }, steps);
    for (const step of steps) change.apply(step);
    await change.save();
    // A server that sends its own events is not reported a second time, but the state of its lists is stored. Changes of
    // bans that were issued here are reported nevertheless, because only this service knows their references.
    const events = tx.isReportingItself ? change.events.filter(isAboutOwnBan) : [...change.events];
    // The watcher's heartbeat contains the map as well.
    if (!tx.isReportingItself && !tx.isWatched)
      events.push(presenceEvent(core.presencePrefix, server.serverName, core.now(), change.online));
    await tx.report(events, isListed);
    isReportingItself = tx.isReportingItself;
  });
  return isReportingItself;
}

function addedPlayer(step: Step): string | undefined {
  if (step.kind === 'joined') return step.player.uuid;
  return step.kind === 'banned' ? step.ban.uuid : undefined;
}

interface About {
  serverName: string;
  keyedHash: (uuid: string) => string;
}

/** The changes of steps and their events. A step that repeats the known state changes nothing. */
class Change {
  readonly #tx: ServerTransaction;
  readonly #about: About;
  readonly #online: Map<string, OnlinePlayer>;
  readonly #bans: Map<string, ListedBan>;
  readonly #issued: ReadonlyMap<string, IssuedBan>;
  readonly #before: ReadonlyMap<string, OnlinePlayer>;
  readonly #changedBans = new Set<string>();
  readonly events: Event[] = [];

  private constructor(
    tx: ServerTransaction,
    about: About,
    online: readonly OnlinePlayer[],
    bans: Map<string, ListedBan>,
    issued: ReadonlyMap<string, IssuedBan>,
  ) {
    this.#tx = tx;
    this.#about = about;
    this.#before = new Map(online.map((player) => [player.uuid, player]));
    this.#online = new Map(this.#before);
    this.#bans = bans;
    this.#issued = issued;
  }

  static async begin(tx: ServerTransaction, about: About, steps: readonly Step[]): Promise<Change> {
    const hashes = steps.flatMap((step) => {
      if (step.kind === 'banned') return about.keyedHash(step.ban.uuid);
      return step.kind === 'unbanned' ? step.uuidHash : [];
    });
    const uuids = steps.flatMap((step) => {
      if (step.kind === 'banned') return step.ban.uuid;
      return step.kind === 'unbanned' ? (step.uuid ?? []) : [];
    });
    const issued = await tx.issuedBans([...new Set(uuids)]);
    const bans = await tx.listedBans([...new Set(hashes)]);
    return new Change(tx, about, await tx.online(), bans, issued);
  }

  get online(): OnlinePlayer[] {
    return [...this.#online.values()];
  }

  apply(step: Step): void {
    switch (step.kind) {
      case 'joined':
        return this.#join(step.player, step.time);
      case 'left':
        return this.#leave(step.player.uuid, step.time);
      case 'banned':
        return this.#ban(step.ban, step.time);
      case 'unbanned':
        return this.#unban(step);
    }
  }

  #join(player: OnlinePlayer, time: number): void {
    if (this.#online.has(player.uuid)) return;
    this.#online.set(player.uuid, player);
    this.events.push(sessionEvent('player.login', this.#about.serverName, time, player));
  }

  #leave(uuid: string, time: number): void {
    const player = this.#online.get(uuid);
    if (player === undefined) return;
    this.#online.delete(uuid);
    this.events.push(sessionEvent('player.logout', this.#about.serverName, time, player));
  }

  #ban(ban: Ban, time: number): void {
    const uuidHash = this.#about.keyedHash(ban.uuid);
    const listed = this.#bans.get(uuidHash);
    const content = contentOf(ban);
    if (listed?.content === content || (ban.expires !== null && ban.expires <= time)) return;
    const reference = this.#report(ban, time, listed);
    this.#changedBans.add(uuidHash);
    this.#bans.set(uuidHash, { uuidHash, reference, content, expires: ban.expires });
  }

  /**
   * @returns the reference of the ban, which another reporter may have issued; empty if the player cannot be identified
   */
  #report(ban: Ban, time: number, listed: ListedBan | undefined): string {
    const { serverName } = this.#about;
    const known = listed?.reference || this.#issued.get(ban.uuid)?.reference;
    if (known !== undefined) {
      if (listed !== undefined) this.events.push(banChangedEvent(serverName, time, known, ban));
      return known;
    }
    if (ban.name === '' || this.#tx.isReportingItself) return '';
    const reference = newReference();
    this.events.push(bannedEvent(serverName, time, reference, ban, this.#punisher(ban.source)));
    return reference;
  }

  /** The protocol has only the name of the punisher, which identifies a player who is on the server. */
  #punisher(source: string): OnlinePlayer | null {
    const name = source.toLowerCase();
    return this.online.find((player) => player.name.toLowerCase() === name) ?? null;
  }

  #unban({ uuidHash, uuid = '', time }: Extract<Step, { kind: 'unbanned' }>): void {
    const listed = this.#bans.get(uuidHash);
    this.#bans.delete(uuidHash);
    this.#changedBans.add(uuidHash);
    // The server itself removes expired bans.
    if (listed !== undefined && listed.expires !== null && listed.expires <= time) return;
    const reference = listed?.reference || this.#issued.get(uuid)?.reference;
    if (reference !== undefined) this.events.push(unbannedEvent(this.#about.serverName, time, reference));
  }

  /** Stores the state after the steps. */
  async save(): Promise<void> {
    const changed = [...this.#changedBans];
    await this.#tx.save({
      joined: this.online.filter(({ uuid }) => !this.#before.has(uuid)),
      left: [...this.#before.keys()].filter((uuid) => !this.#online.has(uuid)),
      banned: changed.flatMap((uuidHash) => this.#bans.get(uuidHash) ?? []),
      unbanned: changed.filter((uuidHash) => !this.#bans.has(uuidHash)),
    });
  }
}
