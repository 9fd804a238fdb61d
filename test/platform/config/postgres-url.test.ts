import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePostgresUrl, postgresUrlProblem, withoutPassword } from '#platform/config/postgres-url.ts';

/** The first ones are the examples of PostgreSQL's documentation, "Connection URIs" of libpq. */
const HOSTS: Record<string, string[]> = {
  'postgresql://localhost': ['localhost:5432'],
  'postgresql://user:secret@localhost': ['localhost:5432'],
  'postgresql://localhost:5433/mydb': ['localhost:5433'],
  'postgresql://host1:123,host2:456/somedb?target_session_attrs=any&application_name=myapp': ['host1:123', 'host2:456'],
  'postgresql:///mydb?host=localhost&port=5433': ['localhost:5433'],
  'postgresql://[2001:db8::1234]/database': ['2001:db8::1234:5432'],
  'postgresql:///dbname?host=/var/lib/postgresql': ['/var/lib/postgresql:5432'],
  'postgresql://%2Fvar%2Flib%2Fpostgresql/dbname': ['/var/lib/postgresql:5432'],
  'postgres://u@[2001:db8::1]:6432,db2/x': ['2001:db8::1:6432', 'db2:5432'],
  'postgres://u@localhost/x?host=/a,/b&port=5433': ['/a:5433', '/b:5433'],
  'postgres://u@localhost/x?host=a,b&port=1,2': ['a:1', 'b:2'],
  'postgres://u:p%2Cq@a,b/x': ['a:5432', 'b:5432'],
};

test('the hosts of an address of PostgreSQL are those that libpq finds', () => {
  for (const [text, hosts] of Object.entries(HOSTS)) {
    assert.deepEqual(
      parsePostgresUrl(text)?.hosts.map(({ host, port }) => `${host}:${port}`),
      hosts,
      text,
    );
    assert.equal(postgresUrlProblem(text), undefined, text);
  }
});

test('a wrong address of PostgreSQL is told what would be right', () => {
  for (const [text, problem] of [
    ['postgres:x', /must be postgres:\/\/user/],
    ['postgres://u@a:x,b/x', /must be postgres:\/\/.*host1:5432,host2:5432/],
    ['postgres://u@a,b:y/x', /must be postgres:\/\//],
    ['postgres://u:100%@a/x', /must be postgres:\/\//],
    ['postgres://u@a/x?sslmode=no-verify', /sslmode: disable, require, verify-ca, verify-full/],
    ['postgres://u@a/x?sslmode=verify-ca', /file of a certificate authority as sslrootcert/],
    ['postgres://u@a/x?sslmode=require&sslrootcert=system', /sslmode=verify-full for sslrootcert=system/],
    ['postgres://u@a,b/x?target_session_attrs=standby', /target_session_attrs: any, read-write, primary/],
  ] as const)
    assert.match(postgresUrlProblem(text) ?? '', problem, text);
});

test('an address of PostgreSQL is shown without its password', () => {
  for (const [text, shown] of [
    ['postgres://u:p@a:1,b:2/x', 'postgres://u:***@a:1,b:2/x'],
    ['postgres://u:p:q@a/x?sslmode=require', 'postgres://u:***@a/x?sslmode=require'],
    ['postgres:///x?user=u&password=p&host=a', 'postgres:///x?user=u&password=***&host=a'],
    ['data/scorehall.db', 'data/scorehall.db'],
  ] as const)
    assert.equal(withoutPassword(text), shown);
});
