import { type Queryable, rowReader } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** The scopes that an account granted to an application. */
export interface Consent {
  client_id: string;
  scopes: string[];
  granted: number;
  used: number;
}

export interface ConnectedApplication extends Consent {
  name: string;
  /** When the application last read data with a token of the account; null if it never has. */
  read: number | null;
}

const SCOPES = { scopes: (text: string): string[] => text.split(' ') };
const toConsent = rowReader<Consent>(SCOPES);

export async function findConsent(db: Queryable, accountId: string, clientId: string): Promise<Consent | undefined> {
  const row = await db.get(sql`
    select client_id, scopes, granted, used from consents where account_id = ${accountId} and client_id = ${clientId}`);
  return row && toConsent(row);
}

export async function connectedApplications(db: Queryable, accountId: string): Promise<ConnectedApplication[]> {
  const rows = await db.all(sql`
    select c.client_id, a.name, c.scopes, c.granted, c.used, c.read
    from consents c join applications a on a.client_id = c.client_id
    where c.account_id = ${accountId} order by a.name, c.client_id`);
  return rows.map(rowReader<ConnectedApplication>(SCOPES));
}

/** Stores a consent. Scopes granted before stay granted. */
export async function giveConsent(
  db: Queryable,
  now: number,
  accountId: string,
  clientId: string,
  scopes: readonly string[],
): Promise<void> {
  const existing = await findConsent(db, accountId, clientId);
  const union = [...new Set([...(existing?.scopes ?? []), ...scopes])].join(' ');
  await db.run(sql`
    insert into consents (account_id, client_id, scopes, granted, used)
    values (${accountId}, ${clientId}, ${union}, ${now}, ${now})
    on conflict (account_id, client_id) do update set scopes = excluded.scopes, used = excluded.used`);
}

export async function touchConsent(db: Queryable, now: number, accountId: string, clientId: string): Promise<void> {
  await db.run(sql`update consents set used = ${now} where account_id = ${accountId} and client_id = ${clientId}`);
}
