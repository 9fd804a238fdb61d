import { SITE_SESSION } from '#http/cookies.ts';
import { sql } from '#db/sql.ts';
import { startConsoleSession } from '#store/accounts/console-sessions.ts';
import type { AppContext } from '#context/context.ts';
import { account, application, person } from '#test/support/builders.ts';

interface Visitor {
  name: string;
  role?: 'moderator' | 'operator';
  /** Whether a game account is linked. */
  linked?: boolean;
}

/** Signs a new account in on the site, as the console does after its sign-in; returns the `Cookie` header. */
export async function siteSession(
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  { name, role, linked = false }: Visitor,
): Promise<string> {
  const owner = await account({ db, clock }, name, linked ? person(1).uuid : undefined);
  if (role !== undefined) await db.run(sql`update accounts set role = ${role} where id = ${owner.id}`);
  const { client_id } = await application({ db, clock }, { name: `console of ${name}` });
  const session = { authenticated: clock.now(), account_id: owner.id, client_id, lifetimeMs: 3_600_000 };
  return `scorehall_${SITE_SESSION}=${await startConsoleSession(db, clock.now(), session)}`;
}
