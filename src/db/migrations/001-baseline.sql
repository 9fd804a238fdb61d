-- offline: the version before was never released.
-- One text for both databases: the drivers in db/sqlite/ and db/postgres/ uncomment their own /*sqlite: */ or /*postgres: */.
-- Timestamps are epoch milliseconds given by the program's clock. Keys are integers below 2^53 from `sequence`; on the wire
-- they are ids of eleven characters (platform/ids.ts). The statements of a merged migration are never edited.

-- ---------------------------------------------------------------------------------------------------------------------
-- Keys and versions

-- The last assigned keys. A writer locks the row `key` until it commits, so keys become visible in their order and paging
-- by `max_id` misses nothing. Accounts, applications and credentials use the row `account`.
create table sequence (
  name text primary key,
  last bigint not null
) /*sqlite: strict, without rowid*/;
insert into sequence (name, last) values ('key', 0), ('account', 0);

-- Data versions for caches: a cached value is valid while the version under which it was read is unchanged. On SQLite the
-- triggers at the end of this file increment them. `database` never changes: it is the id of this database.
create table data_versions (
  name text primary key,
  value bigint not null
) /*sqlite: strict, without rowid*/;
insert into data_versions (name, value) values ('matches', 0), ('credentials', 0);
/*sqlite: insert into data_versions (name, value) values ('database', abs(random() % 9007199254740991)); */
/*postgres: insert into data_versions (name, value) values ('database', floor(random() * 9007199254740991)); */

-- Fingerprints of what belongs to the installation but is not in the database (the secret key), to detect a change.
create table installation (
  name text primary key,
  value text not null
) /*sqlite: strict, without rowid*/;

-- ---------------------------------------------------------------------------------------------------------------------
-- Servers

-- The row of a removed server stays, because its matches show its name.
create table servers (
  key bigint primary key,
  name text not null,
  name_key text not null unique,
  region text not null,
  icon text not null,
  sort_order bigint not null,
  max bigint not null,
  removed bigint
) /*sqlite: strict*/;
create index servers_by_order on servers (sort_order, name);

create table server_keys (
  key bigint primary key,
  server_key bigint not null references servers (key) on delete cascade,
  hash text not null unique,
  test bigint not null check (test in (0, 1)),
  created bigint not null,
  expires bigint
) /*sqlite: strict*/;
create index server_keys_by_server on server_keys (server_key, key);

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

-- Players on the whole network for each minute, and the share of each server, which is subtracted when its heartbeats are
-- retracted.
create table online_samples (
  time bigint primary key,
  count bigint not null
) /*sqlite: strict*/;
create table online_by_server (
  time bigint not null references online_samples (time) on delete cascade,
  server_key bigint not null,
  received bigint not null,
  count bigint not null,
  primary key (time, server_key)
) /*sqlite: strict, without rowid*/;

-- ---------------------------------------------------------------------------------------------------------------------
-- Events

-- Every accepted event as it was received; records are rebuilt, exported and retracted from it. The scope is the server
-- that an event belongs to, 0 for the network itself. `credential` is the server key that sent it, 0 for the operator.
-- `aggregate` names the object that several events change (a map, a punishment, a rotation), so that it can be rebuilt
-- from them.
create table ledger (
  key bigint primary key,
  scope_key bigint not null,
  event_id text not null,
  type text not null,
  time bigint not null,
  received bigint not null,
  body text not null,
  withdrawn bigint,
  credential bigint not null default 0,
  aggregate text,
  unique (scope_key, event_id)
) /*sqlite: strict*/;
create index ledger_by_aggregate on ledger (aggregate, key) where aggregate is not null;
-- A match has the key of its event and the server of its scope, and is deleted when the event is retracted. The match
-- events of a server are therefore found through `matches_by_server`, and only other events need this index.
create index ledger_besides_matches on ledger (scope_key, key)
  where type <> 'match.finished' or withdrawn is not null;

-- The newest rejected events of each server, for the author of its plugin.
create table refusals (
  key bigint primary key,
  scope_key bigint not null,
  event_id text not null,
  reason text not null,
  place text not null,
  received bigint not null
) /*sqlite: strict*/;
create index refusals_by_scope on refusals (scope_key, key);

-- The offset of each projection: the last match that it has counted, and the setting (a time zone) that it depends on.
create table projections (
  name text primary key,
  last bigint not null,
  made_for text not null
) /*sqlite: strict, without rowid*/;
insert into projections (name, last, made_for) values ('boards', 0, '');

-- ---------------------------------------------------------------------------------------------------------------------
-- Maps

create table maps (
  key bigint primary key,
  name text not null unique,
  name_key text /*postgres: collate "C"*/ not null,
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

-- Images by the hash of their bytes, and the events that contained them.
create table pictures (
  hash text primary key,
  content_type text not null,
  bytes bytea not null
) /*sqlite: strict*/;
create table map_pictures (
  ledger_key bigint primary key,
  hash text not null references pictures (hash)
) /*sqlite: strict*/;
create index map_pictures_by_hash on map_pictures (hash);
create table map_images (
  map_key bigint primary key references maps (key) on delete cascade,
  hash text not null
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
create index map_votes_by_player on map_votes (player_key, map_key, version);

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

-- A rotation may name maps that are not published (yet), so `map_name_key` is not a foreign key.
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

-- How often each team played and won on a map. The empty team counts all matches (`play`) and those without a winner (`win`).
create table map_results (
  map_key text /*postgres: collate "C"*/ not null,
  team text /*postgres: collate "C"*/ not null,
  play bigint not null,
  win bigint not null,
  primary key (map_key, team)
) /*sqlite: strict, without rowid*/;

-- ---------------------------------------------------------------------------------------------------------------------
-- Players

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

-- Observations of a player's name by other events than matches and logins, whose own rows hold the name. After UUIDs were
-- merged, one event may have observed several names of a player.
create table name_observations (
  player_key bigint not null references players (key) on delete cascade,
  ledger_key bigint not null,
  time bigint not null,
  name text not null,
  primary key (player_key, ledger_key, name)
) /*sqlite: strict, without rowid*/;

-- UUIDs whose events count for another one; `key` is the former key of the merged player.
create table player_aliases (
  uuid text primary key,
  into_uuid text not null,
  key bigint
) /*sqlite: strict, without rowid*/;
create index player_aliases_by_target on player_aliases (into_uuid);
create index player_aliases_by_key on player_aliases (key);

-- Players with a deleted account: the keyed hash of the UUID, and the pseudonym in the records. `original` is the UUID
-- while the anonymisation is running, and null when it is complete.
create table pseudonyms (
  uuid_hash text primary key,
  uuid text not null unique,
  name text not null,
  created bigint not null,
  ledger_done bigint not null,
  original text
) /*sqlite: strict, without rowid*/;

-- Logins and logouts as received, so that those of one server can be retracted.
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

-- One wide row of counters a player, so that a match of any group updates only one row of each of its players. `name_seen`
-- is the last observation of the present name; it is here because every match updates it.
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

-- Statistics of modes without matches, as received: the counters are increments; power and faction are values at `time`.
create table faction_reports (
  player_key bigint not null references players (key) on delete cascade,
  time bigint not null,
  ledger_key bigint not null,
  power double precision not null,
  faction text not null,
  primary key (player_key, time, ledger_key)
) /*sqlite: strict, without rowid*/;

-- One row for each player, mode group and time bucket (store/game/time-buckets.ts). The mode `total` is all groups together.
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Matches

-- `head` is the JSON of a match in lists, without the fields that depend on settings (time zone, site address), so that it
-- never changes.
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

-- A whole match in one row, separate from `matches` so that lists read narrow rows. It repeats the columns of the head, so
-- that one look-up reads all of a match. `revision` counts rewrites of the row.
create table match_details (
  match_key bigint primary key references matches (key) on delete cascade,
  head text not null,
  started bigint not null,
  finished bigint not null,
  teams text not null,
  objectives text not null,
  revision bigint not null default 0
) /*sqlite: strict*/;
-- Uncompressed, because rows are read far more often than written.
/*postgres: alter table match_details set (toast_tuple_target = 8160); */

-- One row for each player of a match. The primary key is in the order of matches, so that writes append and projections
-- read the rows of a match together; the index serves the list of a player's matches.
create table player_matches (
  match_key bigint not null references matches (key) on delete cascade,
  player_key bigint not null,
  name text not null,
  result text not null,
  score bigint not null,
  kill_count bigint not null,
  death_count bigint not null,
  time_played bigint not null,
  primary key (match_key, player_key)
) /*sqlite: strict, without rowid*/;
create index player_matches_by_player on player_matches (player_key, match_key);

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

-- ---------------------------------------------------------------------------------------------------------------------
-- Punishments

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

-- ---------------------------------------------------------------------------------------------------------------------
-- Accounts

create table accounts (
  id text /*postgres: collate "C"*/ primary key,
  name text not null,
  name_key text not null unique,
  email text not null,
  email_key text not null unique,
  email_verified bigint not null check (email_verified in (0, 1)),
  password text,
  player_uuid text unique,
  role text not null check (role in ('user', 'operator')),
  locale text not null,
  created bigint not null,
  disabled bigint
) /*sqlite: strict, without rowid*/;

-- Tokens of links in mails, by hash. `account_id` is null for registrations, which have no account yet.
create table mail_tokens (
  hash text primary key,
  kind text not null check (kind in ('register', 'verify', 'reset', 'email')),
  account_id text /*postgres: collate "C"*/ references accounts (id) on delete cascade,
  email_key text not null,
  data text not null,
  expires bigint not null
) /*sqlite: strict, without rowid*/;
create index mail_tokens_by_account on mail_tokens (account_id, kind);
create index mail_tokens_by_expiry on mail_tokens (expires);

-- Codes that a player types in the game to link the game account, by keyed hash, because short codes can be guessed.
create table link_codes (
  account_id text /*postgres: collate "C"*/ primary key references accounts (id) on delete cascade,
  code_hash text not null unique,
  expires bigint not null
) /*sqlite: strict, without rowid*/;
create index link_codes_by_expiry on link_codes (expires);

-- Address, browser and times of an account's sessions; the session itself is the row of `tokens` with the same uid_hash.
create table account_sessions (
  uid_hash text primary key,
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  created bigint not null,
  seen bigint not null,
  address text not null,
  agent text not null
) /*sqlite: strict, without rowid*/;
create index account_sessions_by_account on account_sessions (account_id);

-- Attempts at guessable secrets within a window, by address and by account.
create table throttles (
  subject text primary key,
  used bigint not null,
  resets bigint not null
) /*sqlite: strict, without rowid*/;
create index throttles_by_reset on throttles (resets);

-- Keys that sign ID tokens, encrypted under the secret key, which is not in the database.
create table signing_keys (
  kid text primary key,
  created bigint not null,
  sealed text not null
) /*sqlite: strict, without rowid*/;

-- ---------------------------------------------------------------------------------------------------------------------
-- Applications

-- `suspended` is the reason of a suspension: all accounts of the owners are disabled, or the last one was deleted.
create table applications (
  key bigint primary key,
  client_id text not null unique,
  name text not null,
  type text not null check (type in ('installed', 'web', 'service')),
  redirect_uris text not null,
  require_pkce bigint not null default 0 check (require_pkce in (0, 1)),
  access text not null check (access in ('none', 'waiting', 'approved', 'refused', 'revoked')),
  hourly_limit bigint,
  created bigint not null,
  suspended text check (suspended in ('disabled', 'deleted'))
) /*sqlite: strict*/;
create index applications_by_name on applications (name);
create index applications_suspended on applications (key) where suspended is not null;

create table application_secrets (
  key bigint primary key,
  application_key bigint not null references applications (key) on delete cascade,
  hash text not null,
  created bigint not null
) /*sqlite: strict*/;
create index application_secrets_by_application on application_secrets (application_key);

create table application_owners (
  application_key bigint not null references applications (key) on delete cascade,
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  added bigint not null,
  primary key (application_key, account_id)
) /*sqlite: strict, without rowid*/;
create index application_owners_by_account on application_owners (account_id, application_key);

-- Open invitations to own an application. The consent page names the owners, so an account becomes one only by accepting.
create table owner_invitations (
  application_key bigint not null references applications (key) on delete cascade,
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  invited_by text not null,
  expires bigint not null,
  primary key (application_key, account_id)
) /*sqlite: strict, without rowid*/;
create index owner_invitations_by_account on owner_invitations (account_id, expires);
create index owner_invitations_by_expiry on owner_invitations (expires);

create table application_logos (
  application_key bigint primary key references applications (key) on delete cascade,
  content_type text not null,
  hash text not null,
  bytes bytea not null
) /*sqlite: strict*/;

-- Requests for access to the data API or for a higher limit, and the operator's decisions.
create table access_requests (
  key bigint primary key,
  application_key bigint not null references applications (key) on delete cascade,
  kind text not null check (kind in ('access', 'limit')),
  account_id text /*postgres: collate "C"*/ references accounts (id) on delete set null,
  purpose text not null,
  site text not null,
  volume bigint not null,
  state text not null check (state in ('waiting', 'approved', 'refused')),
  created bigint not null,
  decided bigint,
  decided_by text,
  note text not null
) /*sqlite: strict*/;
create index access_requests_by_application on access_requests (application_key, key);
create index access_requests_by_state on access_requests (state, key);
create unique index access_requests_waiting on access_requests (application_key, kind) where state = 'waiting';

-- Scopes that an account granted to an application; a sign-in that requests no other scopes shows no consent page. `read`
-- is when the application last read data with a token of the account.
create table consents (
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  client_id text not null references applications (client_id) on delete cascade,
  scopes text not null,
  granted bigint not null,
  used bigint not null,
  read bigint,
  primary key (account_id, client_id)
) /*sqlite: strict, without rowid*/;
create index consents_by_client on consents (client_id);

-- Storage of oidc-provider, by the hash of each id, so that a copy of this table contains no usable credential.
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
create index tokens_by_account_kind on tokens (account_id, kind);
create index tokens_by_expiry on tokens (expires);

-- Rate limits of the data API, if the setting COUNTERS shares them among processes.
create table rate_limits (
  subject text primary key,
  used bigint not null,
  resets bigint not null
) /*sqlite: strict, without rowid*/;
create index rate_limits_by_reset on rate_limits (resets);

-- Requests of an application at one endpoint of the data API within the hour that begins at `hour`.
create table usage (
  application_key bigint not null,
  hour bigint not null,
  endpoint text not null,
  requests bigint not null,
  client_errors bigint not null,
  limited bigint not null,
  server_errors bigint not null,
  primary key (application_key, hour, endpoint)
) /*sqlite: strict, without rowid*/;
create index usage_by_hour on usage (hour);

-- When an application last used the data API. Not a column of `applications`, because its updates invalidate cached
-- credentials.
create table application_uses (
  application_key bigint primary key,
  last bigint not null
) /*sqlite: strict*/;

-- ---------------------------------------------------------------------------------------------------------------------
-- Console and site

-- Console sessions, by the hash of the cookie.
create table console_sessions (
  hash text primary key,
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  client_id text not null,
  created bigint not null,
  expires bigint not null
) /*sqlite: strict, without rowid*/;
create index console_sessions_by_account on console_sessions (account_id);
create index console_sessions_by_expiry on console_sessions (expires);

-- Applications of the service itself (the console), with secrets encrypted under the secret key.
create table first_party_clients (
  name text primary key,
  client_id text not null references applications (client_id) on delete cascade,
  sealed_secret text not null
) /*sqlite: strict, without rowid*/;

-- The audit log: acts of operators and account owners, with time, origin and outcome. Ids grow with time. An entry with
-- `as_operator` keeps the actor's name when that account is deleted.
create table audit (
  id text /*postgres: collate "C"*/ primary key,
  time bigint not null,
  via text not null,
  actor_id text,
  actor text not null,
  actor_key text not null,
  address text not null,
  action text not null,
  subject text not null,
  label text not null,
  outcome text not null check (outcome in ('done', 'refused', 'failed')),
  detail text not null,
  as_operator bigint not null default 0
) /*sqlite: strict, without rowid*/;
create index audit_by_actor on audit (actor_key, id);
create index audit_by_action on audit (action, id);
create index audit_by_subject on audit (subject, id);
create index audit_by_outcome on audit (outcome, id);
create index audit_by_account on audit (actor_id, id);

-- The first key of each sitemap file. Keys only grow, so a full file does not change.
create table sitemap_files (
  kind text not null check (kind in ('matches', 'players', 'maps')),
  first_key bigint not null,
  primary key (kind, first_key)
) /*sqlite: strict, without rowid*/;
insert into sitemap_files (kind, first_key) values ('matches', 0), ('players', 0), ('maps', 0);

-- ---------------------------------------------------------------------------------------------------------------------
-- Invalidation of caches

/*sqlite:
create trigger matches_updated after update on matches begin
  update data_versions set value = value + 1 where name = 'matches';
end;
create trigger matches_deleted after delete on matches begin
  update data_versions set value = value + 1 where name = 'matches';
end;
create trigger match_details_updated after update on match_details begin
  update data_versions set value = value + 1 where name = 'matches';
end;
create trigger tokens_updated after update on tokens when old.kind in ('AccessToken', 'ClientCredentials') begin
  update data_versions set value = value + 1 where name = 'credentials';
end;
create trigger tokens_deleted after delete on tokens when old.kind in ('AccessToken', 'ClientCredentials') begin
  update data_versions set value = value + 1 where name = 'credentials';
end;
create trigger applications_updated after update on applications begin
  update data_versions set value = value + 1 where name = 'credentials';
end;
create trigger applications_deleted after delete on applications begin
  update data_versions set value = value + 1 where name = 'credentials';
end;
*/

-- On PostgreSQL matches are not cached; cached credentials are dropped on a notification.
/*postgres:
create function notify_credentials() returns trigger language plpgsql as $$
begin
  perform pg_notify('credentials', '');
  return null;
end $$;
create trigger tokens_changed after update or delete on tokens
  for each row when (old.kind in ('AccessToken', 'ClientCredentials')) execute function notify_credentials();
create trigger applications_changed after update or delete on applications
  for each statement execute function notify_credentials();
*/
