import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { Role } from './accounts.ts';

/** An operator or moderator. */
export interface StaffMember {
  name: string;
  role: Exclude<Role, 'user'>;
}

/** Operators and moderators with an active account and without a second factor. */
export async function staffWithoutFactor(db: Queryable): Promise<StaffMember[]> {
  return await db.all<StaffMember>(sql`
    select name, role from accounts
    where role <> 'user' and disabled is null
      and not exists (select 1 from passkeys where account_id = accounts.id)
      and not exists (select 1 from totp_secrets where account_id = accounts.id)
    order by id`);
}
