import { SITE_SESSION } from '#http/cookies.ts';
import { sql } from '#db/sql.ts';
import { startConsoleSession } from '#store/accounts/console-sessions.ts';
import type { AppContext } from '#context/context.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { account, application, person } from '#test/support/builders.ts';

type World = Pick<AppContext, 'db' | 'clock'>;

interface Visitor {
  name: string;
  role?: 'moderator' | 'operator';
  /** Whether a game account is linked. */
  linked?: boolean;
  lifetimeMs?: number;
}

/** Signs a new account in on the site, as the console does after its sign-in; returns the `Cookie` header. */
export async function siteSession(
  context: World,
  { name, role, linked = false, lifetimeMs }: Visitor,
): Promise<string> {
  const owner = await account(context, name, linked ? person(1).uuid : undefined);
  if (role !== undefined) await context.db.run(sql`update accounts set role = ${role} where id = ${owner.id}`);
  return await siteSessionOf(context, owner, lifetimeMs);
}

/** Signs an account in on the site; returns the `Cookie` header. */
export async function siteSessionOf(
  { db, clock }: World,
  { id, name }: Account,
  lifetimeMs = 3_600_000,
): Promise<string> {
  const { client_id } = await application({ db, clock }, { name: `console of ${name}` });
  const session = { authenticated: clock.now(), account_id: id, client_id, lifetimeMs };
  return `scorehall_${SITE_SESSION}=${await startConsoleSession(db, clock.now(), session)}`;
}
