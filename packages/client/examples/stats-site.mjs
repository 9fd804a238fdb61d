// Keeps a copy of the network's matches in a file and serves a page of the maps that are played most.
import { appendFileSync, closeSync, existsSync, openSync, readFileSync, truncateSync } from 'node:fs';
import { createServer } from 'node:http';
import { Scorehall } from 'scorehall-client';

const { API_URL, AUTH_URL, CLIENT_ID, CLIENT_SECRET, MIRROR_FILE = 'mirror.jsonl', PORT = '8080' } = process.env;
const maps = new Map();
let cursor;

// Each line has the changes of a page and their cursor, so that they are stored together. One that was cut by a crash is dropped.
function load() {
  if (!existsSync(MIRROR_FILE)) return closeSync(openSync(MIRROR_FILE, 'w'));
  const bytes = readFileSync(MIRROR_FILE);
  const end = bytes.lastIndexOf('\n') + 1;
  truncateSync(MIRROR_FILE, end);
  for (const line of bytes.toString('utf8', 0, end).split('\n').slice(0, -1)) take(JSON.parse(line));
}

function take({ put, remove, cursor: place }) {
  for (const [id, map] of put) maps.set(id, map);
  for (const id of remove) maps.delete(id);
  cursor = place;
}

const store = {
  cursor: () => cursor,
  apply({ put, remove, cursor, more }) {
    const page = {
      put: put.map(({ id, resource }) => [id, resource.map]),
      // Removals of all kinds come.
      remove: remove.filter(({ kind }) => kind === 'match').map(({ id }) => id),
      cursor,
    };
    appendFileSync(MIRROR_FILE, `${JSON.stringify(page)}\n`);
    take(page);
    if (!more) console.log('The copy is complete.');
  },
  clear() {
    truncateSync(MIRROR_FILE);
    maps.clear();
    cursor = undefined;
  },
};

function mostPlayed() {
  const counts = new Map();
  for (const map of maps.values()) counts.set(map, (counts.get(map) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, 20);
}

const escape = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
load();
const server = createServer((_, response) => {
  const rows = mostPlayed().map(([map, matches]) => `<tr><td>${escape(map)}<td>${matches}`);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><title>Maps</title><table><tr><th>Map<th>Matches${rows.join('')}</table>`);
}).listen(Number(PORT), () => console.log(`http://localhost:${server.address().port}`));

const client = new Scorehall({ baseUrl: API_URL, authUrl: AUTH_URL, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET });
await client.changes.mirror(store, { types: ['match'] });
