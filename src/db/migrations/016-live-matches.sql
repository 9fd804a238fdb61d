-- offline: the version before was never released.
-- The newest report of the match that a server plays, from `match.progress` or a status ping of PGM. `started` is null before
-- the match begins, `observers` where nobody counted them. `teams` and `objectives` are JSON.
create table live_matches (
  server_key bigint primary key references servers (key) on delete cascade,
  event_id text not null,
  time bigint not null,
  received bigint not null,
  phase text not null check (phase in ('starting', 'running', 'finished')),
  started bigint,
  map text not null,
  gamemode text not null,
  participants bigint not null,
  observers bigint,
  teams text not null,
  objectives text not null
) /*sqlite: strict*/;

-- Matches that a server no longer plays and of which no result was reported. `seen` is the time of the last report.
create table unreported_matches (
  server_key bigint not null references servers (key) on delete cascade,
  started bigint not null,
  seen bigint not null,
  received bigint not null,
  map text not null,
  gamemode text not null,
  primary key (server_key, started)
) /*sqlite: strict, without rowid*/;
create index unreported_matches_by_received on unreported_matches (received);
create index live_matches_by_received on live_matches (received);

-- The match in the last answer of a watched server that runs PGM: its number, its beginning by our clock, and its duration
-- as the server counts it.
alter table server_watches add column match_number bigint;
alter table server_watches add column match_started bigint;
alter table server_watches add column match_seconds bigint;

-- Of an event that says a newer version than Scorehall knows: JSON of `version` and of the unknown members beside `data`.
-- Null for all others.
alter table ledger add column envelope text;
