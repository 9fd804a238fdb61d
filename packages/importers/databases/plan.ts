import { MAX_NAME, nameIn, numberIn, textIn, timeIn, uuidIn } from './cells.ts';
import { type DatabaseImport, type ImportContext, PAGE_ROWS, readRows } from './database-import.ts';
import { checkSession, endIn, sessionFindings, type SessionPage, type SessionRecord } from './sessions.ts';
import { checkLayout, numberColumn, type SourceDatabase, type SourceRow, textColumn } from './source-database.ts';

/** Reads the sessions of Plan (Player Analytics), which writes each when it has ended and never changes it. */

const LAYOUT = {
  plan_sessions: ['id', 'user_id', 'server_id', 'session_start', 'session_end'],
  plan_users: ['id', 'uuid', 'name'],
  plan_servers: ['id', 'name'],
};

const SELECT = `select ${[
  's.id as id',
  textColumn('u.uuid', MAX_NAME, 'uuid'),
  textColumn('u.name', MAX_NAME, 'name'),
  textColumn('v.name', MAX_NAME, 'server'),
  numberColumn('s.session_start', 'session_start'),
  numberColumn('s.session_end', 'session_end'),
].join(
  ', ',
)} from plan_sessions s left join plan_users u on u.id = s.user_id left join plan_servers v on v.id = s.server_id
  where s.id > ? order by s.id limit ${PAGE_ROWS}`;

export async function openPlan(source: SourceDatabase): Promise<DatabaseImport> {
  await checkLayout(source, LAYOUT, {
    program: 'Plan 5',
    hint: 'Is it the database of Plan: in MySQL, or its file database.db?',
  });
  return { findings: (context) => sessionFindings((mark) => pagesFrom(source, mark, context), context) };
}

async function* pagesFrom(source: SourceDatabase, mark: number, context: ImportContext): AsyncGenerator<SessionPage> {
  const [newest] = await source.rows('select max(id) as id from plan_sessions');
  const bound = Number(textIn(newest!, 'id'));
  // The ids of another, newer database start again.
  for (let last = mark <= bound ? mark : 0; ;) {
    const rows = await source.rows(SELECT, [last]);
    const records: SessionRecord[] = [];
    const findings = [...readRows('plan_sessions', rows, readPlanSession, records, context.left)];
    if (rows.length > 0) last = numberIn(rows.at(-1)!, 'id');
    yield { records, findings, mark: last };
    if (rows.length < PAGE_ROWS) return;
  }
}

/** @throws ImportRefusal or AddressInRow */
function readPlanSession(row: SourceRow, place: string): SessionRecord {
  const [id, start] = [numberIn(row, 'id'), timeIn(row, 'session_start')];
  return checkSession({
    table: 'plan_sessions',
    place,
    id: `plan:session:${id}:${start.toString(36)}`,
    player: { uuid: uuidIn(row, 'uuid'), name: nameIn(row, 'name') },
    server: nameIn(row, 'server'),
    start,
    end: endIn(row, 'session_end'),
  });
}
