import type { Random } from '#demo/network/random.ts';
import type { Operator } from '../support/operator.ts';
import { COUNTERS } from './generated-events.ts';
import type { ModelSender } from './sender.ts';

/**
 * A withdrawal of everything that a server sent since a time. The other timestamps are bounds of the time at which it
 * took effect.
 */
export interface Withdrawal {
  server: string;
  since: number;
  began: number;
  ended: number;
  /** False if the command was interrupted, so that the withdrawal may or may not have been created. */
  isCertain: boolean;
}

/** Random acts of operators and players during the reports of the servers. Records them for the check. */
export class Acts {
  readonly withdrawals: Withdrawal[] = [];
  /** Receipts of single withdrawn events; those whose command was interrupted may not have been withdrawn. */
  readonly withdrawn = new Map<string, { isCertain: boolean }>();
  readonly deleted = new Set<string>();
  /** Names that were removed for certain, with the UUID by which. All reports of the model are about the time before. */
  readonly removedNames: { uuid: string; name: string }[] = [];
  /** Sentences about commands that failed. */
  readonly failures: string[] = [];
  readonly #operator: Operator;
  readonly #senders: readonly ModelSender[];
  readonly #random: Random;
  readonly #mayReturn: boolean;
  readonly #linked = new Map<string, string>();
  #accounts = 0;

  /** @param mayReturn whether erased players are linked again */
  constructor(operator: Operator, senders: readonly ModelSender[], random: Random, mayReturn = false) {
    this.#operator = operator;
    this.#senders = senders;
    this.#random = random;
    this.#mayReturn = mayReturn;
  }

  async next(): Promise<void> {
    const chance = this.#random.below(100);
    if (chance < 14) return await this.#withdrawOne();
    if (chance < 24) return await this.#withdrawSince();
    if (chance < 36) return await this.#merge();
    if (chance < 52) return await this.#link();
    if (chance < 58) return await this.#deleteAccount();
    if (chance < 63) return await this.#erase();
    if (chance < 66) return await this.#configure();
    if (chance < 80) return await this.#removeName();
    if (chance < 87) return await this.#choosePrivacy();
    if (chance < 91) return await this.#hide();
    if (chance < 95) return await this.#count();
    await this.#declare();
  }

  /** Waits until no job is open. */
  async finishJobs(): Promise<void> {
    for (let turn = 0; turn < 300; turn++) {
      const listed = await this.#operator.run('job', 'list', '--json');
      const jobs = JSON.parse(listed?.out || '[]') as { id: string; kind: string; state: string; error?: string }[];
      for (const job of jobs.filter(({ state }) => state === 'failed')) {
        this.failures.push(`job ${job.id} (${job.kind}) has failed: ${job.error ?? ''}`);
      }
      if (jobs.every(({ state }) => state === 'done' || state === 'failed')) return;
      await new Promise((resolve) => void setTimeout(resolve, 100));
    }
    this.failures.push('jobs have not ended within 30 s');
  }

  async #run(...command: string[]): Promise<'done' | 'refused' | 'interrupted'> {
    const reply = await this.#operator.run(...command);
    if (reply === undefined) return 'interrupted';
    if (reply.status === 0) return 'done';
    if (!/^scorehall: /m.test(reply.err)) this.failures.push(`${command.join(' ')}: ${reply.err}`);
    // 2 is a refusal, unless the command had already created its job, which the services complete.
    if (reply.status === 2 && !/See: scorehall job|^job /m.test(reply.err)) return 'refused';
    console.log(`         ${command.join(' ')}: ${reply.err.trim()}`);
    return 'interrupted';
  }

  #player(): string {
    return this.#random.pick(this.#senders[0]!.generator.uuids);
  }

  async #withdrawOne(): Promise<void> {
    const sender = this.#random.pick(this.#senders);
    const accepted = [...sender.sent.values()].flatMap(({ receipt }) => receipt ?? []);
    if (accepted.length === 0) return;
    const receipt = this.#random.pick(accepted);
    const outcome = await this.#run(
      'server',
      'withdraw',
      '--name',
      sender.server,
      '--match',
      receipt,
      '--yes',
      '--json',
    );
    if (outcome !== 'refused') this.withdrawn.set(receipt, { isCertain: outcome === 'done' });
  }

  async #withdrawSince(): Promise<void> {
    const { server } = this.#random.pick(this.#senders);
    const began = Date.now();
    const since = began - 200 - this.#random.below(1500);
    const time = new Date(since).toISOString();
    const outcome = await this.#run('server', 'withdraw', '--name', server, '--since', time, '--yes', '--json');
    if (outcome === 'refused') return;
    this.withdrawals.push({ server, since, began, ended: Date.now(), isCertain: outcome === 'done' });
  }

  async #merge(): Promise<void> {
    await this.#run('player', 'merge', '--from', this.#player(), '--into', this.#player(), '--yes', '--json');
  }

  /** Creates an account; its player types the code of the account page on a server, or the operator links the player. */
  async #link(): Promise<void> {
    const uuid = this.#player();
    if (this.deleted.has(uuid) && !this.#mayReturn) return;
    const name = `account${++this.#accounts}`;
    const email = `${name}@model.example`;
    const created = await this.#operator.run(
      'account',
      'create',
      '--name',
      name,
      '--email',
      email,
      '--verified',
      '--json',
    );
    if (created?.status !== 0) return;
    const { id } = JSON.parse(created.out) as { id: string };
    if (this.#mayReturn && this.#random.chance(0.4)) {
      const linked = await this.#run('account', 'link', '--account', id, '--uuid', uuid, '--yes');
      if (linked !== 'refused') this.#linked.set(id, uuid);
      return;
    }
    const code = await this.#operator.linkCodeOf(id);
    if (code === undefined) return;
    const sender = this.#random.pick(this.#senders);
    sender.add(sender.generator.link(uuid, code));
    this.#linked.set(id, uuid);
  }

  async #deleteAccount(): Promise<void> {
    if (this.#linked.size === 0) return;
    const [id, uuid] = this.#random.pick([...this.#linked]);
    this.#linked.delete(id);
    if ((await this.#run('account', 'delete', '--account', id, '--yes', '--json')) !== 'refused')
      this.deleted.add(uuid);
  }

  async #erase(): Promise<void> {
    const uuid = this.#player();
    if ((await this.#run('player', 'erase', '--player', uuid, '--yes', '--json')) !== 'refused') this.deleted.add(uuid);
  }

  /** Often refused: the name is the present one, or none of the player. */
  async #removeName(): Promise<void> {
    const uuid = this.#player();
    for (const name of this.#random.shuffled(this.#senders[0]!.generator.namesOf(uuid))) {
      const outcome = await this.#run('player', 'remove-name', '--player', uuid, '--name', name, '--yes', '--json');
      if (outcome === 'done') this.removedNames.push({ uuid, name });
      if (outcome !== 'refused') return;
    }
  }

  async #choosePrivacy(): Promise<void> {
    const [profile, online, names] = Array.from({ length: 3 }, () => this.#random.chance(0.4)) as boolean[];
    await this.#operator.choose({ player: this.#player(), profile: profile!, online: online!, names: names! });
  }

  /** Replaces the list of hidden players, without erased ones, whose entries are deleted. */
  async #hide(): Promise<void> {
    const players = this.#random.sample(this.#senders[0]!.generator.uuids, this.#random.below(4));
    const hidden = players.filter((uuid) => !this.deleted.has(uuid));
    await this.#run('network', 'set', '--hidden', hidden.join(','), '--yes', '--json');
  }

  /** Excludes a match from what is counted, or counts one that is excluded. */
  async #count(): Promise<void> {
    const { sent } = this.#random.pick(this.#senders);
    const matches = [...sent.values()].flatMap(({ receipt, variants: [first] }) =>
      first!.type === 'match.finished' ? (receipt ?? []) : [],
    );
    if (matches.length === 0) return;
    const match = this.#random.pick(matches);
    if ((await this.#run('match', 'exclude', '--match', match, '--yes', '--json')) === 'refused')
      await this.#run('match', 'count', '--match', match, '--yes', '--json');
  }

  /** Declares a counter, in another way than before, or removes it. */
  async #declare(): Promise<void> {
    const random = this.#random;
    const key = random.pick(COUNTERS.slice(0, -1));
    if (random.chance(0.2)) return void (await this.#run('counter', 'delete', '--key', key, '--yes', '--json'));
    const aggregate = random.pick(['sum', 'max']);
    const modes = random.pick(['all', 'ctw,teampvp', 'objective,factions,cp']);
    const how = ['--aggregate', aggregate, '--modes', modes, '--label', key];
    await this.#run('counter', 'set', '--key', key, ...how, '--json');
  }

  async #configure(): Promise<void> {
    const { server } = this.#random.pick(this.#senders);
    await this.#run('server', 'set', '--name', server, '--max', String(this.#random.below(100)), '--json');
  }
}
