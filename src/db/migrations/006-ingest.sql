-- What lets game servers write: their keys, what was refused of them, and how to find what an event changed.

create table server_keys (
  key bigint primary key,
  server_key bigint not null references servers (key) on delete cascade,
  hash text not null unique,
  test bigint not null check (test in (0, 1)),
  created bigint not null,
  expires bigint
) /*sqlite: strict*/;
create index server_keys_by_server on server_keys (server_key, key);

-- The newest events of each server that were refused, for whoever writes its plugin.
create table refusals (
  key bigint primary key,
  scope_key bigint not null,
  event_id text not null,
  reason text not null,
  place text not null,
  received bigint not null
) /*sqlite: strict*/;
create index refusals_by_scope on refusals (scope_key, key);

-- A server that an operator has removed keeps its row: what it played is still told under its name.
alter table servers add column removed bigint;

-- Which key sent an event; 0 for the operator.
alter table ledger add column credential bigint not null default 0;

-- What the events of a map, a punishment or a rotation have in common, so that it can be worked out anew from them.
alter table ledger add column subject text;
create index ledger_by_subject on ledger (subject, key) where subject is not null;

-- Where a player's name was seen beside matches and logins, which keep it themselves.
create table player_sightings (
  player_key bigint not null references players (key) on delete cascade,
  ledger_key bigint not null,
  time bigint not null,
  name text not null,
  primary key (player_key, ledger_key)
) /*sqlite: strict, without rowid*/;

-- UUIDs whose events count for another one.
create table player_aliases (
  uuid text primary key,
  into_uuid text not null
) /*sqlite: strict, without rowid*/;
create index player_aliases_by_target on player_aliases (into_uuid);

-- Pictures by their content, and which events brought them.
create table pictures (
  hash text primary key,
  content_type text not null,
  bytes bytea not null
) /*sqlite: strict*/;
insert into pictures (hash, content_type, bytes)
  select hash, min(content_type), bytes from map_images group by hash, bytes;
alter table map_images drop column bytes;
alter table map_images drop column content_type;
create table map_pictures (
  ledger_key bigint primary key,
  hash text not null references pictures (hash)
) /*sqlite: strict*/;
create index map_pictures_by_hash on map_pictures (hash);
