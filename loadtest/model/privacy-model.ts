import type { Exported } from './exported.ts';
import type { PlayerFacts } from './network.ts';

interface Privacy {
  profile: boolean;
  online: boolean;
  names: boolean;
}

/** What people keep private, according to the events in their order: a merge lets what either chose hold for both. */
export class PrivacyModel {
  readonly #chosen = new Map<string, Privacy>();
  readonly #mergedInto = new Map<string, string>();

  readonly #hidden: readonly string[];

  /** @param hidden the UUIDs of the network's list of hidden players */
  constructor(hidden: readonly string[]) {
    this.#hidden = hidden;
  }

  apply({ type, data }: Exported): void {
    if (type === 'player.privacy') {
      const { player, profile, online, names } = data;
      this.#chosen.set(this.#survivor(player as string), { profile, online, names });
    }
    if (type !== 'player.merged') return;
    const [from, into] = [this.#survivor(data.from as string), this.#survivor(data.into as string)];
    const [one, other] = [this.#chosen.get(from), this.#chosen.get(into)];
    this.#mergedInto.set(from, into);
    const either = (name: keyof Privacy): boolean => one?.[name] === true || other?.[name] === true;
    this.#chosen.set(into, { profile: either('profile'), online: either('online'), names: either('names') });
  }

  /** Whether lists leave out the player: erased ones have a pseudonym. */
  isLeftOut({ uuid, name }: Pick<PlayerFacts, 'uuid' | 'name'>): boolean {
    const isPrivate = this.#chosen.get(this.#survivor(uuid))?.profile === true;
    return isPrivate || this.#isHidden(uuid) || /^deleted-[0-9a-z]{6}$/.test(name);
  }

  /** Whether matches show the present name of the player only. */
  hidesNames(uuid: string): boolean {
    const { profile, names } = this.#chosen.get(this.#survivor(uuid)) ?? {};
    return profile === true || names === true;
  }

  /** @param empty what a player without records shows */
  shown(uuid: string, player: PlayerFacts, empty: PlayerFacts): PlayerFacts {
    const { profile, online, names } = this.#chosen.get(this.#survivor(uuid)) ?? {};
    const { name, banned } = player;
    if (profile) return { ...empty, uuid: player.uuid, name, banned, private: true };
    const isHidden = this.#isHidden(uuid);
    const { last_login, last_login_server, last_logout } = empty;
    return {
      ...player,
      ...((online || isHidden) && { last_login, last_login_server, last_logout }),
      ...((names || isHidden) && { names: [] }),
    };
  }

  #isHidden(uuid: string): boolean {
    return this.#hidden.some((one) => this.#survivor(one) === this.#survivor(uuid));
  }

  #survivor(uuid: string): string {
    const into = this.#mergedInto.get(uuid);
    return into === undefined ? uuid : this.#survivor(into);
  }
}
