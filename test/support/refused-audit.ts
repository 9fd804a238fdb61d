import type { Db } from '#db/db.ts';

const REFUSAL = 'the audit log is full';

const SQLITE = `create trigger refuse_audit before insert on audit begin select raise(abort, '${REFUSAL}'); end`;
const POSTGRES = `
  create function refuse_audit() returns trigger language plpgsql as
    $$ begin raise exception '${REFUSAL}'; end $$;
  create trigger refuse_audit before insert on audit for each row execute function refuse_audit()`;

/** Refuses all audit entries until it is disposed. */
export async function refuseAudit(db: Db): Promise<AsyncDisposable> {
  await db.migrating((tx) => tx.script(db.remote ? POSTGRES : SQLITE));
  const end = db.remote
    ? 'drop trigger refuse_audit on audit; drop function refuse_audit'
    : 'drop trigger refuse_audit';
  return { [Symbol.asyncDispose]: () => db.migrating((tx) => tx.script(end)) };
}
