-- What is worked out from finished matches behind the ingest's back, match after match in the order of their keys.

alter table player_matches add column time_played bigint not null default 0;

-- How far each of these has come: the last match counted, and the zone whose days it was counted in.
create table follow_states (
  name text primary key,
  last bigint not null,
  zone text not null
) /*sqlite: strict, without rowid*/;
insert into follow_states (name, last, zone) values ('boards', 0, '');

-- One row for each player, mode group and stretch of time in which the player played; `bucket` is written by
-- records/buckets.ts. The mode `total` is all groups together.
create table boards (
  bucket bigint not null,
  mode text /*postgres: collate "C"*/ not null,
  player_key bigint not null,
  play bigint not null,
  win bigint not null,
  kill bigint not null,
  death bigint not null,
  time bigint not null,
  primary key (bucket, mode, player_key)
) /*sqlite: strict, without rowid*/;
create index boards_by_play on boards (bucket, mode, play, player_key);
create index boards_by_win on boards (bucket, mode, win, player_key);
create index boards_by_kill on boards (bucket, mode, kill, player_key);

-- How often each team played and won on a map. The empty team stands for the matches themselves: those played, and
-- those that nobody won.
create table map_results (
  map_key text /*postgres: collate "C"*/ not null,
  team text /*postgres: collate "C"*/ not null,
  play bigint not null,
  win bigint not null,
  primary key (map_key, team)
) /*sqlite: strict, without rowid*/;

-- Players on the whole network, minute by minute.
create table online_samples (
  time bigint primary key,
  count bigint not null
) /*sqlite: strict*/;

-- Prefixes of names are looked up by the order of their characters, whatever the language of the database.
/*postgres: alter table maps alter column name_key type text collate "C"; */
