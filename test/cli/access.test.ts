import assert from 'node:assert/strict';
import { requestAccess, type NewAccessRequest } from '#store/applications/access-requests.ts';
import { applicationByClientId } from '#store/applications/applications.ts';
import { listAudit } from '#store/audit/audit.ts';
import { account, application } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { Mailbox } from '#test/support/mailbox.ts';
import { scorehall } from './scorehall.ts';

onEachDatabase(
  'commands list, approve and refuse access requests, and mail the decision to the applicant',
  async (t, url) => {
    const context = await testContext(t, url);
    const { db, clock } = context;
    const mail = await Mailbox.open(t);
    const run = (...args: string[]) => scorehall({ DATABASE_URL: url, SMTP_URL: mail.url }, 'access', ...args);
    const ann = await account(context, 'Ann');
    const app = await application(context, { name: 'Board', access: 'none' });
    const current = async () => (await applicationByClientId(db, app.client_id))!;
    const ask = async (kind: NewAccessRequest['kind'], volume: number): Promise<string> => {
      const wish = { kind, account_id: ann.id, purpose: 'A board.', site: '', volume };
      return (await requestAccess(db, clock.now(), await current(), wish))!.id;
    };

    const first = await ask('access', 50);
    const listed = JSON.parse((await run('list', '--json')).out) as Record<string, unknown>[];
    assert.deepEqual(
      listed.map(({ id, name, account: who, kind, state }) => [id, name, who, kind, state]),
      [[first, 'Board', 'Ann', 'access', 'waiting']],
    );
    assert.match((await run('refuse', '--request', first)).err, /^scorehall: --note is missing\.\n$/);
    assert.match((await run('refuse', '--request', first, '--note', ' ')).err, /--note must not be empty\.\n$/);
    const long = 'x'.repeat(1001);
    assert.match((await run('refuse', '--request', first, '--note', long)).err, /--note must have at most 1000 char/);
    assert.equal((await current()).access, 'waiting', 'a refusal without a reason changes nothing');
    const refused = await run('refuse', '--request', first, '--note', 'Too vague.', '--json');
    assert.deepEqual([refused.status, refused.err], [0, '']);
    assert.equal((JSON.parse(refused.out) as { state: string }).state, 'refused');
    assert.equal((await current()).access, 'refused');
    const { subject, text } = await mail.next('ann@example.org');
    assert.match(`${subject}\n${text}`, /Not approved: Board[\s\S]*Too vague\./);
    const twice = await run('approve', '--request', first);
    assert.deepEqual([twice.status, twice.out], [2, '']);
    assert.match(twice.err, /^scorehall: No request with the id \w+ is waiting; see: scorehall access list\n$/);
    assert.equal((await current()).access, 'refused');

    await run('approve', '--request', await ask('access', 50));
    assert.equal((await current()).access, 'approved');
    assert.match((await mail.next('ann@example.org')).subject, /Approved: Board/);
    const more = await ask('limit', 9000);
    assert.match(
      (await run('approve', '--request', more, '--limit', '0')).err,
      /--limit must be a whole number from 1/,
    );
    assert.equal((await run('approve', '--request', more, '--limit', '5000')).status, 0);
    assert.equal((await current()).hourly_limit, 5000);
    await mail.next('ann@example.org');
    assert.equal(mail.count, 0);
    assert.match((await run('list', '--state', 'lost')).err, /--state must be one of waiting, approved, refused/);

    const entries = await listAudit(db, { action: 'access' }, 10);
    assert.deepEqual(
      entries.map(({ action, subject: of, label, via }) => [action, of, label, via]),
      ['approve', 'approve', 'refuse'].map((verb) => [`access.${verb}`, app.client_id, 'Board', 'command']),
    );
  },
);
