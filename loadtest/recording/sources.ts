import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const [ANN, BEN] = ['7f0c6a4e-52b1-4c2f-9b7d-000000000001', '7f0c6a4e-52b1-4c2f-9b7d-000000000002'];
const TIME = Date.parse('2026-01-01T00:00:00Z');

/** Writes small databases of other programs, which the importers read. */
export function writeSources(folder: string): void {
  using community = new DatabaseSync(join(folder, 'community.db'));
  community.exec(`
    create table punishments (id VARCHAR(36) PRIMARY KEY, punished VARCHAR(36), issuer VARCHAR(36), reason VARCHAR(255),
      type VARCHAR(8), time LONG, expires LONG, active BOOL, last_updated LONG, updated_by VARCHAR(36), service VARCHAR(255));
    create table sessions (id VARCHAR(36) PRIMARY KEY, player VARCHAR(36), disguised BOOL, server VARCHAR(32),
      start_time BIGINT, end_time BIGINT);
    create table users (id VARCHAR(36) PRIMARY KEY, name VARCHAR(16), first_join LONG, join_count INT);
    insert into users values ('${ANN}', 'Ann', ${TIME}, 1), ('${BEN}', 'Ben', ${TIME}, 1);
    insert into punishments values
      ('7f0c6a4e-52b1-4c2f-9b7d-000000000101', '${ANN}', '${BEN}', 'Why', 'BAN', ${TIME}, ${TIME}, 1, ${TIME}, '${BEN}', 'pgm'),
      ('7f0c6a4e-52b1-4c2f-9b7d-000000000102', '${ANN}', '${BEN}', 'Lifted', 'MUTE', ${TIME}, ${TIME}, 0, ${TIME + 1}, '${BEN}', 'pgm'),
      ('7f0c6a4e-52b1-4c2f-9b7d-000000000103', 'nonsense', '${BEN}', '', 'NONSENSE', ${TIME}, ${TIME}, 1, ${TIME}, '${BEN}', 'pgm');
    insert into sessions values
      ('7f0c6a4e-52b1-4c2f-9b7d-000000000201', '${ANN}', 0, 'Alpha', ${TIME}, ${TIME + 60_000}),
      ('7f0c6a4e-52b1-4c2f-9b7d-000000000202', '${BEN}', 0, 'Community', ${TIME}, null)`);
  using plan = new DatabaseSync(join(folder, 'plan.db'));
  plan.exec(`
    create table plan_users (id integer primary key autoincrement, uuid varchar(36), registered bigint, name varchar(36));
    create table plan_servers (id integer primary key autoincrement, uuid varchar(36), name varchar(100));
    create table plan_sessions (id integer primary key autoincrement, user_id int, server_id int, session_start bigint,
      session_end bigint, mob_kills int, deaths int, afk_time bigint, join_address_id int);
    insert into plan_users values (1, '${ANN}', ${TIME}, 'Ann'), (2, '203.0.113.9', ${TIME}, 'Odd');
    insert into plan_servers values (1, 'x', 'Lantern');
    insert into plan_sessions values (null, 1, 1, ${TIME}, ${TIME + 60_000}, 0, 0, 0, 1), (null, 2, 1, ${TIME}, ${TIME + 1}, 0, 0, 0, 1)`);
}
