-- One text for both databases: see db/sqlite.ts and db/postgres.ts for what is read out of /*sqlite: */ and /*postgres: */.
-- Moments are epoch milliseconds. Keys come from `sequence` and are written as ids by base/ids.ts.

-- The row that hands out keys. Whoever writes what readers page through holds it until commit, so keys become visible
-- in their order: the promise that a walk by max_id never misses an item.
create table sequence (
  name text primary key,
  last bigint not null
) /*sqlite: strict, without rowid*/;
insert into sequence (name, last) values ('key', 0);

create table servers (
  key bigint primary key,
  name text not null,
  name_key text not null unique,
  region text not null,
  icon text not null,
  sort_order bigint not null,
  max bigint not null
) /*sqlite: strict*/;
create index servers_by_order on servers (sort_order, name);

-- The newest heartbeat of each server.
create table presence (
  server_key bigint primary key references servers (key) on delete cascade,
  event_id text not null,
  time bigint not null,
  received bigint not null,
  playing bigint not null,
  players text not null,
  player_count bigint not null,
  gamemode text not null,
  current_map text not null,
  current_map_key text not null,
  next_map text not null
) /*sqlite: strict*/;
create index presence_by_map on presence (current_map_key);

create table maps (
  key bigint primary key,
  name text not null unique,
  name_key text not null,
  version text not null,
  proto text not null,
  objective text not null,
  type text not null,
  path text not null,
  authors text not null,
  teams text not null,
  gamemodes text not null,
  publisher_key bigint not null,
  published bigint not null
) /*sqlite: strict*/;
create index maps_by_name_key on maps (name_key, key);

create table map_gamemodes (
  gamemode_key text not null,
  map_key bigint not null references maps (key) on delete cascade,
  primary key (gamemode_key, map_key)
) /*sqlite: strict, without rowid*/;

create table map_images (
  map_key bigint primary key references maps (key) on delete cascade,
  content_type text not null,
  hash text not null,
  bytes bytea not null
) /*sqlite: strict*/;

create table map_votes (
  map_key bigint not null references maps (key) on delete cascade,
  version text not null,
  player_key bigint not null,
  rate bigint not null check (rate between 1 and 5),
  time bigint not null,
  server_key bigint not null,
  primary key (map_key, version, player_key)
) /*sqlite: strict, without rowid*/;

create table map_rates (
  map_key bigint not null references maps (key) on delete cascade,
  version text not null,
  rate_1 bigint not null,
  rate_2 bigint not null,
  rate_3 bigint not null,
  rate_4 bigint not null,
  rate_5 bigint not null,
  primary key (map_key, version)
) /*sqlite: strict, without rowid*/;

-- What each server plays in turn. `map_name_key` joins with maps as they come and go.
create table rotations (
  server_key bigint not null references servers (key) on delete cascade,
  position bigint not null,
  map_name text not null,
  map_name_key text not null,
  primary key (server_key, position)
) /*sqlite: strict, without rowid*/;
create index rotations_by_map on rotations (map_name_key, server_key);

create table rotation_states (
  server_key bigint primary key references servers (key) on delete cascade,
  time bigint not null
) /*sqlite: strict*/;

create table players (
  key bigint primary key,
  uuid text not null unique,
  name text not null,
  name_key text not null,
  name_since bigint not null,
  last_login bigint,
  last_login_server text not null,
  last_logout bigint
) /*sqlite: strict*/;
create index players_by_name on players (name_key);

create table player_names (
  name_key text /*postgres: collate "C"*/ not null,
  player_key bigint not null references players (key) on delete cascade,
  name text not null,
  first_seen bigint not null,
  last_seen bigint not null,
  primary key (name_key, player_key)
) /*sqlite: strict, without rowid*/;
create index player_names_by_player on player_names (player_key, last_seen);

-- Logins and logouts as told, so that what one server said can be taken back.
create table player_sessions (
  player_key bigint not null references players (key) on delete cascade,
  ledger_key bigint not null,
  time bigint not null,
  login bigint not null check (login in (0, 1)),
  server_key bigint not null,
  server text not null,
  name text not null,
  primary key (player_key, ledger_key)
) /*sqlite: strict, without rowid*/;

-- One wide row of counters a player: a match changes one row of each of its players, whatever its group. `name_seen`
-- is when the player last bore the present name; it stands here since every match moves it.
create table player_stats (
  player_key bigint primary key references players (key) on delete cascade,
  name_seen bigint not null,
  bowspleef_win bigint not null default 0,
  bowspleef_lose bigint not null default 0,
  bowspleef_play bigint not null default 0,
  bowspleef_time bigint not null default 0,
  tntrun_win bigint not null default 0,
  tntrun_lose bigint not null default 0,
  tntrun_play bigint not null default 0,
  tntrun_time bigint not null default 0,
  cp_kill bigint not null default 0,
  cp_death bigint not null default 0,
  cp_win bigint not null default 0,
  cp_lose bigint not null default 0,
  cp_play bigint not null default 0,
  cp_time bigint not null default 0,
  ctw_kill bigint not null default 0,
  ctw_death bigint not null default 0,
  ctw_win bigint not null default 0,
  ctw_lose bigint not null default 0,
  ctw_play bigint not null default 0,
  ctw_time bigint not null default 0,
  ctw_wool bigint not null default 0,
  objective_kill bigint not null default 0,
  objective_death bigint not null default 0,
  objective_win bigint not null default 0,
  objective_lose bigint not null default 0,
  objective_play bigint not null default 0,
  objective_time bigint not null default 0,
  objective_core bigint not null default 0,
  objective_destroyable bigint not null default 0,
  objective_flag bigint not null default 0,
  paintball_kill bigint not null default 0,
  paintball_death bigint not null default 0,
  paintball_win bigint not null default 0,
  paintball_lose bigint not null default 0,
  paintball_play bigint not null default 0,
  paintball_time bigint not null default 0,
  paintball_shot bigint not null default 0,
  paintball_hit bigint not null default 0,
  splatt_kill bigint not null default 0,
  splatt_death bigint not null default 0,
  splatt_win bigint not null default 0,
  splatt_lose bigint not null default 0,
  splatt_play bigint not null default 0,
  splatt_time bigint not null default 0,
  splatt_shot bigint not null default 0,
  splatt_hit bigint not null default 0,
  splatt_paint bigint not null default 0,
  teampvp_kill bigint not null default 0,
  teampvp_death bigint not null default 0,
  teampvp_win bigint not null default 0,
  teampvp_lose bigint not null default 0,
  teampvp_play bigint not null default 0,
  teampvp_time bigint not null default 0,
  teampvp_score bigint not null default 0,
  teampvp_objective bigint not null default 0,
  factions_kill bigint not null default 0,
  factions_death bigint not null default 0,
  factions_time bigint not null default 0
) /*sqlite: strict*/;

-- Statistics of modes without matches, as told: counters are what was added, power and faction what holds at `time`.
create table faction_reports (
  player_key bigint not null references players (key) on delete cascade,
  time bigint not null,
  ledger_key bigint not null,
  power double precision not null,
  faction text not null,
  primary key (player_key, time, ledger_key)
) /*sqlite: strict, without rowid*/;

-- `head` is the JSON of what a list shows of a match and never changes, without what settings decide (moments, links).
create table matches (
  key bigint primary key,
  head text not null,
  started bigint not null,
  finished bigint not null,
  map_key text not null,
  server_key bigint not null,
  gamemode text not null
) /*sqlite: strict*/;
create index matches_by_map on matches (map_key, key);
create index matches_by_server on matches (server_key, key);
create index matches_by_gamemode on matches (gamemode, key);

-- A whole match in one row, apart from the heads so that a list reads narrow rows; what never changes of the head stands
-- here once more, so that one look-up finds all of a match.
create table match_details (
  match_key bigint primary key references matches (key) on delete cascade,
  head text not null,
  started bigint not null,
  finished bigint not null,
  teams text not null,
  objectives text not null
) /*sqlite: strict*/;

create table player_matches (
  player_key bigint not null references players (key) on delete cascade,
  match_key bigint not null references matches (key) on delete cascade,
  name text not null,
  result text not null,
  score bigint not null,
  kill_count bigint not null,
  death_count bigint not null,
  primary key (player_key, match_key)
) /*sqlite: strict, without rowid*/;
create index player_matches_by_match on player_matches (match_key);

create table kills (
  killer_key bigint not null references players (key) on delete cascade,
  match_key bigint not null references matches (key) on delete cascade,
  number bigint not null,
  victim_uuid text not null,
  victim_name text not null,
  killer_name text not null,
  time bigint not null,
  primary key (killer_key, match_key, number)
) /*sqlite: strict, without rowid*/;
create index kills_by_match on kills (match_key);

create table punishments (
  key bigint primary key,
  scope_key bigint not null,
  reference text not null,
  punisher_uuid text,
  punisher_name text,
  punished_key bigint not null references players (key),
  type text not null,
  level bigint not null,
  reason text not null,
  server text not null,
  automatic bigint not null check (automatic in (0, 1)),
  time bigint not null,
  expires bigint,
  revoked bigint,
  changed bigint not null,
  unique (scope_key, reference)
) /*sqlite: strict*/;
create index punishments_by_player on punishments (punished_key, key);

-- Everything that was accepted, as it was told: what answers are rebuilt from, exported from, and withdrawn by.
-- The scope is the server that an event belongs to, 0 for the network itself.
create table ledger (
  key bigint primary key,
  scope_key bigint not null,
  event_id text not null,
  type text not null,
  time bigint not null,
  received bigint not null,
  body text not null,
  withdrawn bigint,
  unique (scope_key, event_id)
) /*sqlite: strict*/;
create index ledger_by_scope on ledger (scope_key, key);

create table applications (
  key bigint primary key,
  client_id text not null unique,
  name text not null,
  type text not null check (type in ('installed', 'web', 'service')),
  redirect_uris text not null,
  require_pkce bigint not null default 0 check (require_pkce in (0, 1)),
  access text not null check (access in ('none', 'waiting', 'approved', 'refused', 'revoked')),
  hourly_limit bigint,
  created bigint not null
) /*sqlite: strict*/;

create table application_secrets (
  key bigint primary key,
  application_key bigint not null references applications (key) on delete cascade,
  hash text not null,
  created bigint not null
) /*sqlite: strict*/;
create index application_secrets_by_application on application_secrets (application_key);

-- What oidc-provider stores, by the hash of its id: a copy of this table opens nothing.
create table tokens (
  hash text not null,
  kind text not null,
  payload text not null,
  client_id text,
  account_id text,
  grant_id text,
  uid_hash text,
  user_code_hash text,
  consumed bigint,
  expires bigint,
  primary key (hash, kind)
) /*sqlite: strict, without rowid*/;
create index tokens_by_grant on tokens (grant_id);
create index tokens_by_uid on tokens (uid_hash);
create index tokens_by_user_code on tokens (user_code_hash);
create index tokens_by_client on tokens (client_id);
create index tokens_by_account on tokens (account_id);
create index tokens_by_expiry on tokens (expires);

create table allowances (
  subject text primary key,
  used bigint not null,
  resets bigint not null
) /*sqlite: strict, without rowid*/;
create index allowances_by_reset on allowances (resets);
