-- offline: the version before was never released.
-- Game servers that are followed by the Minecraft Server Management Protocol. `holder` is the process that follows the server
-- until `held_until`, `revision` moves with each change of the connection. `state` is empty before the first attempt,
-- `connected`, or a reason of `ManageReason`, since `since`; `contact` is when the server last told something that is stored.
create table managed_servers (
  server_key bigint primary key references servers (key) on delete cascade,
  url text not null,
  sealed_secret text not null,
  ca text not null,
  revision bigint not null,
  holder text not null,
  held_until bigint not null,
  state text not null,
  since bigint,
  contact bigint
) /*sqlite: strict*/;
create index managed_servers_by_lease on managed_servers (held_until);
create index managed_servers_by_holder on managed_servers (holder);

-- Who is on a managed server, as it was last reported. The rows of an erased player are deleted.
create table managed_players (
  server_key bigint not null references managed_servers (server_key) on delete cascade,
  uuid text not null,
  name text not null,
  primary key (server_key, uuid)
) /*sqlite: strict, without rowid*/;
create index managed_players_by_uuid on managed_players (uuid);

-- The bans that a managed server listed. The player is known by the keyed hash of the UUID, so that erasing a player leaves
-- nothing here. `reference` names the punishment, and is empty where another reporter issued it.
create table managed_bans (
  server_key bigint not null references managed_servers (server_key) on delete cascade,
  uuid_hash text not null,
  reference text not null,
  content text not null,
  expires bigint,
  primary key (server_key, uuid_hash)
) /*sqlite: strict, without rowid*/;

-- Maps as the senders of dialects name them, by the slug, with the gamemode under which their matches count.
create table dialect_maps (
  slug text primary key,
  name text not null,
  gamemode text not null
) /*sqlite: strict, without rowid*/;
