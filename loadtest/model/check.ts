import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Acts } from './acts.ts';
import { differences } from './differences.ts';
import { expectedNetwork, type Unexported } from './expected-network.ts';
import type { Exported } from './exported.ts';
import type { Operator } from '../support/operator.ts';
import { ApiClient, readNetwork } from './read-network.ts';
import type { ModelSender, Sent } from './sender.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Compares the ledger with the senders' receipts, and both services with the ledger. @returns the differences */
export async function check(
  operator: Operator,
  senders: readonly ModelSender[],
  acts: Acts,
  apiPorts: readonly number[],
  token: string,
): Promise<string[]> {
  const exported = await operator.run('export', 'events', '-');
  if (exported?.status !== 0) return [`export events failed: ${exported?.err}`];
  const lines = exported.out.split('\n').filter((line) => line !== '');
  const events = lines.map((line) => JSON.parse(line) as Exported);
  const found = [...ledgerFaults(events, senders, acts), ...removedNameFaults(events, acts)];
  const uuids = new Set([...(exported.out.match(UUID) ?? []), ...senders[0]!.generator.uuids]);
  const expected = expectedNetwork(events, await unexported(operator));
  for (const [number, port] of apiPorts.entries()) {
    const actual = await readNetwork(new ApiClient(port, token), uuids);
    found.push(...differences(expected, actual).map((line) => `service ${number + 1}: ${line}`));
  }
  if (found.length > 0) found.push(`The exported events: ${await keepEvents(exported.out)}`);
  return found;
}

async function unexported(operator: Operator): Promise<Unexported> {
  const json = async (...command: string[]): Promise<unknown> =>
    JSON.parse((await operator.run(...command, '--json'))!.out);
  const { hidden } = (await json('network', 'show')) as { hidden: string[] };
  const excluded = (await json('match', 'excluded')) as { id: string }[];
  return { hidden, excluded: new Set(excluded.map(({ id }) => id)) };
}

/** Writes the events of a failed case to a file, because its database is deleted. */
export async function keepEvents(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-model-'));
  await writeFile(join(folder, 'events.ndjson'), text);
  return join(folder, 'events.ndjson');
}

/** No event has a removed name of a player beside any UUID of that player, because all of them are older than the removal. */
function* removedNameFaults(events: readonly Exported[], { removedNames }: Acts): Generator<string> {
  const merged = new Map(
    events.flatMap(({ type, data }) => (type === 'player.merged' ? [[data.from as string, data.into as string]] : [])),
  );
  const survivor = (uuid: string): string => (merged.has(uuid) ? survivor(merged.get(uuid)!) : uuid);
  const removed = new Set(removedNames.map(({ uuid, name }) => `${survivor(uuid)} ${name.toLowerCase()}`));
  for (const event of events) {
    for (const { uuid, name } of peopleIn(event.data))
      if (removed.has(`${survivor(uuid)} ${name.toLowerCase()}`))
        yield `${event.id} has the removed name ${name} of ${uuid}`;
  }
}

function* peopleIn(value: unknown): Generator<{ uuid: string; name: string }> {
  if (typeof value !== 'object' || value === null) return;
  const { uuid, name } = value as Record<string, unknown>;
  if (typeof uuid === 'string' && typeof name === 'string') yield { uuid, name };
  for (const part of Object.values(value)) yield* peopleIn(part);
}

/** Events whose acceptance depends on events of others: withdrawing those withdraws them too. */
const DEPENDENT = /^(map\.|punishment\.)/;

function* ledgerFaults(events: readonly Exported[], senders: readonly ModelSender[], acts: Acts): Generator<string> {
  const stored = new Map<string, Exported>();
  for (const event of events) {
    const name = `${event.server} ${event.id}`;
    if (stored.has(name)) yield `${name} is stored twice`;
    stored.set(name, event);
  }
  for (const { server, sent } of senders) {
    for (const one of sent.values()) {
      const fault = findFault(server, one, stored.get(`${server} ${one.id}`), acts);
      if (fault !== undefined) yield `${server} ${one.id} (${one.variants[0]!.type}): ${fault}`;
    }
  }
}

function findFault(server: string, sent: Sent, stored: Exported | undefined, acts: Acts): string | undefined {
  if (stored === undefined) {
    if (sent.acknowledged === undefined || mayBeWithdrawn(server, sent, acts)) return undefined;
    return 'was acknowledged, is not stored and was not withdrawn';
  }
  if (sent.acknowledged === undefined) return `is stored, but was rejected: ${sent.rejected}`;
  if (isWithdrawn(server, sent, acts)) return 'was withdrawn, but is stored';
  if (sent.receipt !== stored.receipt) return `has the receipt ${sent.receipt}, but is stored under ${stored.receipt}`;
  // Bodies with players who have pseudonyms are compared through the APIs only.
  const variant = sent.variants.find(({ type, time }) => storedType(type) === stored.type && time === stored.time);
  return variant === undefined ? 'is stored with another type or time than it was sent with' : undefined;
}

const storedType = (type: string): string => (type === 'account.link' ? 'player.named' : type);

function mayBeWithdrawn(server: string, { acknowledged, firstSent, receipt, variants }: Sent, acts: Acts): boolean {
  if (receipt !== undefined && acts.withdrawn.has(receipt)) return true;
  const isAnyWithdrawn = acts.withdrawals.length > 0 || acts.withdrawn.size > 0;
  if (isAnyWithdrawn && variants.some(({ type }) => DEPENDENT.test(type))) return true;
  // The job of a killed command is found later and may have taken effect at any time after its start.
  return acts.withdrawals.some(
    (one) => one.server === server && acknowledged! >= one.since && (firstSent <= one.ended || !one.isCertain),
  );
}

function isWithdrawn(server: string, { acknowledged, firstSent, receipt }: Sent, acts: Acts): boolean {
  if (receipt !== undefined && acts.withdrawn.get(receipt)?.isCertain === true) return true;
  return acts.withdrawals.some(
    (one) => one.isCertain && one.server === server && firstSent >= one.since && acknowledged! < one.began,
  );
}
