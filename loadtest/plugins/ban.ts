import { randomUUID } from 'node:crypto';

const WADER = { uuid: '7f0c6a4e-52b1-4c2f-9b7d-000000000002', name: 'Wader' };

/** An answer of the driver without the id of the ban, which differs in each run. */
export const withoutPunishmentId = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer).replaceAll(/\\nPunishment: [0-9a-z]{11}/g, '\\nPunishment: ID'));

/** Bans the driver's second player. */
export async function ban(ingest: number, key: string): Promise<void> {
  const data = { punishment: '1', punished: WADER, type: 'ban', reason: 'Griefing "spawn"' };
  const event = { version: 1, id: randomUUID(), type: 'punishment.issued', time: new Date().toISOString(), data };
  const response = await fetch(`http://127.0.0.1:${ingest}/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(event),
  });
  if (!response.ok) throw new Error(`The ban was not accepted: ${await response.text()}`);
}
