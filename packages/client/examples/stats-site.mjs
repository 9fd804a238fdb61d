// Keeps a copy of the network's matches in SQLite and serves a page of the maps that are played most.
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { Scorehall } from 'scorehall-client';

const { API_URL, AUTH_URL, CLIENT_ID, CLIENT_SECRET, DATABASE = 'mirror.db', PORT = '8080' } = process.env;
const db = new DatabaseSync(DATABASE);
db.exec(`create table if not exists resources (kind text, id text, json text not null, primary key (kind, id)) strict;
  create table if not exists cursors (name text primary key, value text not null) strict;`);
const put = db.prepare('insert or replace into resources (kind, id, json) values (?, ?, ?)');
const remove = db.prepare('delete from resources where kind = ? and id = ?');
const save = db.prepare("insert or replace into cursors (name, value) values ('changes', ?)");
const mostPlayed = db.prepare(`select json ->> 'map' as map, count(*) as matches from resources where kind = 'match'
  group by map order by matches desc, map limit 20`);

const store = {
  cursor: () => db.prepare("select value from cursors where name = 'changes'").get()?.value,
  apply(page) {
    db.exec('begin');
    for (const { kind, id, resource } of page.put) put.run(kind, id, JSON.stringify(resource));
    for (const { kind, id } of page.remove) remove.run(kind, id);
    save.run(page.cursor);
    db.exec('commit');
    if (!page.more) console.log('The copy is complete.');
  },
  clear: () => db.exec('begin; delete from resources; delete from cursors; commit'),
};

const escape = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
const server = createServer((_, response) => {
  const rows = mostPlayed.all().map(({ map, matches }) => `<tr><td>${escape(map)}<td>${matches}`);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><title>Maps</title><table><tr><th>Map<th>Matches${rows.join('')}</table>`);
}).listen(Number(PORT), () => console.log(`http://localhost:${server.address().port}`));

const client = new Scorehall({ baseUrl: API_URL, authUrl: AUTH_URL, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET });
await client.changes.mirror(store, { types: ['match'] });
