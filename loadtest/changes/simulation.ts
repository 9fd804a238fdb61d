import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDb } from '#db/open.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { Acts } from '../model/acts.ts';
import { keepEvents } from '../model/check.ts';
import { EventGenerator } from '../model/generated-events.ts';
import { ApiClient } from '../model/read-network.ts';
import { ModelSender } from '../model/sender.ts';
import type { Report } from '../report.ts';
import type { Databases } from '../support/databases.ts';
import { Operator } from '../support/operator.ts';
import { createReaderIn, prepare } from '../support/prepare.ts';
import type { Random } from '#demo/network/random.ts';
import { ServedNetwork } from '../support/served-network.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { Deliveries } from './deliveries.ts';
import { Mirror } from './mirror.ts';
import { KINDS_OF_MIRRORS, type MirrorKind, MIRRORS } from './mirror-kinds.ts';
import type { MirrorValue } from './mirror-value.ts';
import { NetworkActs } from './network-acts.ts';
import { differencesOf, namesIn, sessionsIn, textsIn, walk, type Walked } from './walk.ts';

const SERVERS = 3;
/** So many that erasures leave some. */
const PLAYERS = 150;
const PROCESSES = { sqlite: 1, postgres: 2 };
/** Events before the mirrors begin. */
const HISTORY = 100;
const CONCURRENT_EVENTS = 4;
const MAX_PAUSE_MS = 500;
/** Between the start of a process and its next kill. */
const MAX_LIFE_MS = 800;
const KILLS_PER_KILLED_MIRROR = 10;
const CATCH_UP_MS = 60_000;
const COMPARE_EVERY_MS = 500;
const HOUR_MS = 3_600_000;
const SECRET_KEY = 'the secret key of the simulator of mirrors';

/** A network under load with its mirrors. */
export class Simulation implements AsyncDisposable {
  readonly #databases: Databases;
  readonly #folder: string;
  readonly #random: Random;
  readonly #front: CuttingProxy;
  readonly #network: ServedNetwork;
  /** Does the acts. */
  readonly #operator: Operator;
  /** Copies the database meanwhile. */
  readonly #administrator: Operator;
  readonly #senders: readonly ModelSender[];
  readonly #acts: Acts;
  readonly #networkActs: NetworkActs;
  readonly #applications: ReadonlyMap<MirrorKind, Reader>;
  readonly #mirrors: Mirror[] = [];
  #url: string;
  #kills = 0;

  private constructor(
    databases: Databases,
    folder: string,
    random: Random,
    { url, front, network, keys, applications }: Started,
  ) {
    this.#databases = databases;
    this.#folder = folder;
    this.#random = random;
    this.#url = url;
    this.#front = front;
    this.#network = network;
    this.#applications = applications;
    this.#operator = new Operator({ ...settings(folder), DATABASE_URL: url });
    this.#administrator = new Operator({ ...settings(folder), DATABASE_URL: url });
    const began = Math.floor((Date.now() - HOUR_MS) / 1000) * 1000;
    this.#senders = keys.map((key, number) => {
      const generator = new EventGenerator(random.fork(), began, 'e', PLAYERS);
      return new ModelSender(`Server ${number}`, key, () => network.ingestPorts, generator, random.fork());
    });
    this.#acts = new Acts(this.#operator, this.#senders, random.fork());
    const api = (): ApiClient => new ApiClient(front.port, applications.values().next().value!.token);
    this.#networkActs = new NetworkActs(this.#acts, this.#operator, this.#senders, random.fork(), api);
  }

  /** Starts the network with some history, without mirrors. */
  static async start(databases: Databases, folder: string, random: Random): Promise<Simulation> {
    const url = await databases.create();
    const keys = await prepare(url, SERVERS);
    const applications = await createReaders(url);
    const network = new ServedNetwork((ports) => ({
      ...settings(folder),
      API_URL: `http://127.0.0.1:${front.port}`,
      SITE_URL: 'https://mirrored.example',
      WEBHOOK_NETWORKS: '127.0.0.1:*',
      API_LISTEN: `127.0.0.1:${ports.api}`,
      SITE_LISTEN: `127.0.0.1:${ports.site}`,
    }));
    // The address of the data API, whose connections are not cut.
    const front = await CuttingProxy.open(() => random.pick(network.running)?.api, random.fork());
    await network.serve(url, PROCESSES[databases.dialect]);
    const simulation = new Simulation(databases, folder, random, { url, front, network, keys, applications });
    await Promise.all(simulation.#senders.map((sender) => sender.send(HISTORY)));
    return simulation;
  }

  /** Starts one mirror of each kind with an empty disk. */
  async startMirrors(): Promise<void> {
    for (const [kind, { application, token }] of this.#applications) {
      const random = this.#random.fork();
      const proxy = await CuttingProxy.open(() => random.pick(this.#network.running)?.api, random.fork());
      const file = join(this.#folder, `${kind}.db`);
      const { receives }: MirrorValue = MIRRORS[kind];
      const context = { ...settings(this.#folder), DATABASE_URL: this.#url };
      const deliveries = receives && (await Deliveries.begin(context, application, random.fork()));
      this.#mirrors.push(new Mirror({ kind, file, token, proxy, deliveries }, random));
    }
  }

  /** Servers report, operators act, processes are killed and connections cut, until all faults have happened. */
  async round(kills: number, cuts: number, during?: (simulation: Simulation) => Promise<void>): Promise<void> {
    const over = new AbortController();
    const load = [
      ...this.#senders.map(async (sender) => {
        const random = this.#random.fork();
        while (!over.signal.aborted) {
          await sender.send(CONCURRENT_EVENTS);
          await sleep(random.below(MAX_PAUSE_MS));
        }
      }),
      (async () => {
        while (!over.signal.aborted) await this.#networkActs.next();
      })(),
    ];
    const faults = async (): Promise<void> => {
      const before = Math.floor(kills / 2);
      await this.#killAndCut(before, Math.floor(cuts / 2));
      await during?.(this);
      await this.#killAndCut(kills - before, Math.ceil(cuts / 2));
    };
    await Promise.all([...load, faults().finally(() => over.abort())]);
  }

  /** Waits until each mirror equals a walk of `/v1`. @returns what differs */
  async check(): Promise<string[]> {
    await Promise.all(this.#senders.map((sender) => sender.flush()));
    await this.#acts.finishJobs();
    const [api] = this.#network.apiPorts;
    const client = new ApiClient(api!, this.#applications.values().next().value!.token);
    const { uuids } = this.#senders[0]!.generator;
    const walked = await walk(client, uuids);
    const erased = await this.#erased(client);
    const found = [...this.#acts.failures.splice(0), ...namesIn(walked, erased)];
    const end = performance.now() + CATCH_UP_MS;
    for (const mirror of this.#mirrors) {
      let differences = this.#compare(mirror, walked, erased);
      while (differences.length > 0 && performance.now() < end) {
        await sleep(COMPARE_EVERY_MS);
        await mirror.deliveries?.hurry(this.#url);
        differences = this.#compare(mirror, walked, erased);
      }
      found.push(...differences.map((line) => `${mirror.kind}: ${line}`));
    }
    if (found.length === 0) return [];
    const exported = await this.#operator.run('export', 'events', '-');
    return [...found, `The exported events: ${await keepEvents(exported?.out ?? '')}`];
  }

  /** Backs the database up while it is in use. */
  async backUp(): Promise<void> {
    await this.#administrate('backup', join(this.#folder, 'backup'));
  }

  /** Continues with the backup in a new database, as after the loss of the other one. */
  async restore(): Promise<void> {
    const before = this.#resets();
    await this.#network.stop();
    await this.#use(await this.#databases.create());
    await this.#administrate('restore', join(this.#folder, 'backup'));
    const log = join(this.#folder, 'revocations.log');
    // With few kills nothing has been revoked yet.
    if (existsSync(log)) await this.#administrate('restore', '--since-log', log);
    await this.#network.serve(this.#url, PROCESSES[this.#databases.dialect]);
    for (const mirror of this.#mirrors) await this.#untilReset(mirror, before.get(mirror)!);
  }

  /** Moves the database, which stays in use, into another one. No mirror begins again. */
  async move(): Promise<void> {
    const before = this.#resets();
    const target = await this.#databases.create();
    await this.#administrate('move', '--to', target);
    await this.#network.stop('SIGTERM');
    await this.#use(target);
    await this.#network.serve(target, PROCESSES[this.#databases.dialect]);
    await sleep(CATCH_UP_MS / 20);
    const after = this.#resets();
    for (const mirror of this.#mirrors) {
      if (after.get(mirror) !== before.get(mirror))
        this.#acts.failures.push(`${mirror.kind} began again after the move`);
    }
  }

  report(report: Report, dialect: string): void {
    const cuts = this.#mirrors.reduce((sum, { proxies }) => sum + proxies.reduce((own, { cuts }) => own + cuts, 0), 0);
    const events = this.#senders.reduce((sum, { sent }) => sum + sent.size, 0);
    report.note(`${dialect}: kills, cuts, events`, `${this.#kills}, ${cuts}, ${events}`);
    for (const { kind, disk } of this.#disks()) {
      using opened = disk;
      report.note(`${dialect}, ${kind}: items, resets`, `${opened.applied}, ${opened.resets}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const mirror of this.#mirrors) mirror[Symbol.dispose]();
    this.#operator.close();
    this.#administrator.close();
    await this.#network.stop();
    this.#front[Symbol.dispose]();
  }

  async #killAndCut(kills: number, cuts: number): Promise<void> {
    const random = this.#random;
    let due = 0;
    for (let number = 1; number <= kills; number++) {
      for (; due < (cuts * number) / kills; due++) random.pick(random.pick(this.#mirrors).proxies).cutNext();
      await sleep(random.below(MAX_LIFE_MS));
      await this.#network.restart(random.below(this.#network.count));
      for (const { deliveries } of this.#mirrors) await deliveries?.hurry(this.#url);
      if (++this.#kills % KILLS_PER_KILLED_MIRROR !== 0) continue;
      const mirror = random.pick(this.#mirrors);
      await (random.chance(0.3) ? mirror.loseDisk(this.#url) : mirror.restart());
    }
    // Changes come, so that each gets its cuts.
    const isDue = (): boolean => this.#mirrors.some(({ proxies }) => proxies.some(({ cutsDue }) => cutsDue > 0));
    for (const end = performance.now() + CATCH_UP_MS; isDue() && performance.now() < end; await sleep(COMPARE_EVERY_MS))
      for (const { deliveries } of this.#mirrors) await deliveries?.hurry(this.#url);
    if (isDue()) this.#acts.failures.push('a mirror transfers nothing');
  }

  #compare(mirror: Mirror, walked: Walked, erased: readonly string[]): string[] {
    using disk = mirror.openDisk();
    return [
      ...differencesOf(walked, disk, mirror.followed),
      ...sessionsIn(walked, disk, this.#networkActs.hidden).map(
        (id) => `player ${id} is private and has its last login`,
      ),
      ...textsIn(disk, erased),
      ...disk.faults,
    ];
  }

  /** The UUIDs and names of erased players who have not returned. */
  async #erased(client: ApiClient): Promise<string[]> {
    const { uuids } = this.#senders[0]!.generator;
    const texts: string[] = [];
    for (const uuid of this.#acts.deleted) {
      if ((await client.get(`/v1/players/${uuid}`)) !== undefined) continue;
      const number = uuids.indexOf(uuid);
      texts.push(uuid, ...['Player', 'player', 'Other', 'New'].map((stem) => `${stem}${number}`));
    }
    return texts;
  }

  #resets(): Map<Mirror, number> {
    return new Map(
      this.#mirrors.map((mirror) => {
        using disk = mirror.openDisk();
        return [mirror, disk.resets];
      }),
    );
  }

  async #untilReset(mirror: Mirror, before: number): Promise<void> {
    for (const end = performance.now() + CATCH_UP_MS; performance.now() < end; await sleep(COMPARE_EVERY_MS)) {
      using disk = mirror.openDisk();
      if (disk.resets > before) return;
      await mirror.deliveries?.hurry(this.#url);
    }
    this.#acts.failures.push(`${mirror.kind} was not told that the feed is another one after the restore`);
  }

  #disks() {
    return this.#mirrors.map((mirror) => ({ kind: mirror.kind, disk: mirror.openDisk() }));
  }

  async #administrate(...command: string[]): Promise<void> {
    const reply = await this.#administrator.run(...command);
    if (reply?.status !== 0) throw new Error(`${command.join(' ')}: ${reply?.err}`);
  }

  async #use(url: string): Promise<void> {
    this.#url = url;
    for (const operator of [this.#operator, this.#administrator])
      await operator.use({ ...settings(this.#folder), DATABASE_URL: url });
  }
}

/** What a simulation has from its start. */
interface Started {
  url: string;
  front: CuttingProxy;
  network: ServedNetwork;
  keys: readonly string[];
  applications: ReadonlyMap<MirrorKind, Reader>;
}

type Reader = Awaited<ReturnType<typeof createReaderIn>>;

/** An application for each mirror. */
async function createReaders(url: string): Promise<Map<MirrorKind, Reader>> {
  await using db = await openDb(url, { keyedHash: secretHash });
  const readers = new Map<MirrorKind, Reader>();
  for (const kind of KINDS_OF_MIRRORS) readers.set(kind, await createReaderIn(db));
  return readers;
}

const settings = (folder: string): NodeJS.ProcessEnv => ({
  SECRET_KEY,
  DATA_FOLDER: folder,
  REVOCATION_LOG: join(folder, 'revocations.log'),
});
