import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';

const REFUSAL = 'the audit log is full';

/** While a row says so, because a new trigger makes each connection read the schema again. */
const REFUSES = "exists (select 1 from installation where name = 'refuse audit')";
const SQLITE = `
  create trigger refuse_audit before insert on audit when ${REFUSES} begin select raise(abort, '${REFUSAL}'); end`;
const POSTGRES = `
  create function refuse_audit() returns trigger language plpgsql as
    $$ begin if ${REFUSES} then raise exception '${REFUSAL}'; end if; return new; end $$;
  create trigger refuse_audit before insert on audit for each row execute function refuse_audit()`;

const prepared = new WeakSet<Db>();

/** Refuses all audit entries until it is disposed. */
export async function refuseAudit(db: Db): Promise<AsyncDisposable> {
  if (!prepared.has(db)) await db.migrating((tx) => tx.script(db.remote ? POSTGRES : SQLITE));
  prepared.add(db);
  await db.run(sql`insert into installation (name, value) values ('refuse audit', '')`);
  return {
    [Symbol.asyncDispose]: async () => void (await db.run(sql`delete from installation where name = 'refuse audit'`)),
  };
}
