import type { Acts } from '../model/acts.ts';
import type { ApiClient } from '../model/read-network.ts';
import type { ModelSender } from '../model/sender.ts';
import type { Operator } from '../support/operator.ts';
import type { Random } from '#demo/network/random.ts';

const SPARE_SERVERS = 3;
const NEWEST = 30;
const MAX_HIDDEN = 5;
const PLAYERS_ONLINE = 20;
/** The beginnings of a PNG and of a JPEG file, which is all that a publication is checked for. */
const PICTURES = [
  { content_type: 'image/png', data: 'iVBORw0KGgo=' },
  { content_type: 'image/jpeg', data: '/9j/4AAQSkZJRg==' },
];

/** The acts of the model, and those on everything else that the feed of changes follows. */
export class NetworkActs {
  /** The UUIDs that are never shown live. */
  hidden: string[] = [];
  readonly #acts: Acts;
  readonly #operator: Operator;
  readonly #senders: readonly ModelSender[];
  readonly #random: Random;
  readonly #api: () => ApiClient | undefined;

  /** @param api a client of a process that is running */
  constructor(
    acts: Acts,
    operator: Operator,
    senders: readonly ModelSender[],
    random: Random,
    api: () => ApiClient | undefined,
  ) {
    this.#acts = acts;
    this.#operator = operator;
    this.#senders = senders;
    this.#random = random;
    this.#api = api;
  }

  async next(): Promise<void> {
    const random = this.#random;
    if (random.chance(0.5)) return await this.#acts.next();
    const acts = [
      () => this.#changeServer(),
      () => this.#hide(),
      () => this.#countMatch(),
      () => this.#punish(),
      () => this.#changePunishment(),
      () => Promise.resolve(this.#publish()),
      () => this.#report(),
    ];
    await random.pick(acts)();
  }

  async #run(...command: string[]): Promise<void> {
    const reply = await this.#operator.run(...command);
    // Refusals are sentences; everything else is a fault.
    if (reply !== undefined && reply.status !== 0 && !/^scorehall: /m.test(reply.err))
      this.#acts.failures.push(`${command.join(' ')}: ${reply.err}`);
  }

  async #changeServer(): Promise<void> {
    const name = ['--name', `Spare ${this.#random.below(SPARE_SERVERS)}`];
    const max = ['--max', String(this.#random.below(100)), '--region', this.#random.pick(['eu', 'us'])];
    await this.#run(
      ...this.#random.pick([
        ['server', 'create', ...name, ...max],
        ['server', 'set', ...name, ...max],
        ['server', 'delete', ...name, '--yes'],
      ]),
    );
  }

  async #hide(): Promise<void> {
    const { uuids } = this.#senders[0]!.generator;
    this.hidden = this.#random.sample(uuids, this.#random.below(MAX_HIDDEN));
    await this.#run('network', 'set', '--hidden', this.hidden.join(','));
  }

  async #countMatch(): Promise<void> {
    const id = await this.#newest('matches');
    if (id !== undefined) await this.#run('match', this.#random.pick(['exclude', 'count']), '--match', id);
  }

  async #punish(): Promise<void> {
    const { generator } = this.#random.pick(this.#senders);
    const type = this.#random.pick(['ban', 'mute', 'warn']);
    const expires = this.#random.pick(['never', '1m', '1d']);
    const terms = ['--type', type, '--reason', 'rules', '--expires', expires];
    await this.#run('punishment', 'issue', '--player', this.#random.pick(generator.uuids), ...terms);
  }

  async #changePunishment(): Promise<void> {
    const id = await this.#newest('punishments');
    if (id === undefined) return;
    const which = ['--punishment', id, '--reason', this.#random.pick(['rules', 'again'])];
    await this.#run(
      'punishment',
      ...this.#random.pick([
        ['change', ...which],
        ['revoke', ...which, '--yes'],
      ]),
    );
  }

  /** Publishes a map with a picture. */
  #publish(): void {
    const sender = this.#random.pick(this.#senders);
    const image = this.#random.pick(PICTURES);
    const data = { name: this.#random.pick(['Isle', 'Atoll']), version: String(this.#random.below(9)), image };
    sender.add({ ...sender.generator.next(), type: 'map.published', data });
  }

  /**
   * Reports who is on a server. Presence is no change, but a mirror of the server must not keep erased names: the report ends
   * before the next act, so that no erased name comes after the erasure.
   */
  async #report(): Promise<void> {
    const sender = this.#random.pick(this.#senders);
    const { generator } = sender;
    const uuids = this.#random
      .sample(generator.uuids, PLAYERS_ONLINE)
      .filter((uuid) => !this.#acts.deleted.has(uuid))
      .join(',');
    const found = await this.#read<{ player: { name: string } | null }[]>(`/v1/players?uuids=${uuids}`);
    // The service can only forget names that it knows.
    const players = new Set(found?.flatMap(({ player }) => player?.name ?? []));
    const event = { ...generator.next(), type: 'server.presence', time: new Date().toISOString() };
    await sender.sendOnce({ ...event, data: { current: 0, players: [...players] } });
  }

  /** The id of one of the newest resources. */
  async #newest(list: string): Promise<string | undefined> {
    const found = await this.#read<{ id: string }[]>(`/v1/${list}?limit=${NEWEST}`);
    return found === undefined || found.length === 0 ? undefined : this.#random.pick(found).id;
  }

  async #read<T>(path: string): Promise<T | undefined> {
    try {
      return await this.#api()?.get<T>(path);
    } catch {
      // Its process was killed.
      return undefined;
    }
  }
}
