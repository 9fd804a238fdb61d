-- offline: the version before was never released.
-- One row a public resource: its newest change. A new change moves the row to the end of the feed (store/game/changes.ts). Its
-- primary key stays the same, so that a copy of a database in use never has it twice.
create table changes (
  number bigint not null unique,
  kind text /*postgres: collate "C"*/ not null check (kind in ('match', 'map', 'punishment', 'player', 'server')),
  key bigint not null,
  type text /*postgres: collate "C"*/ not null check (type in ('created', 'changed', 'withdrawn', 'merged', 'erased')),
  revision bigint not null,
  time bigint not null,
  primary key (kind, key)
) /*sqlite: strict*/;
create index changes_by_kind on changes (kind, number);
create index changes_of_removed_by_kind on changes (kind, number) where type in ('withdrawn', 'merged', 'erased');
create index changes_of_removed on changes (number) where type in ('withdrawn', 'merged', 'erased');

insert into sequence (name, last) values ('change', 0);

-- The open streams of each application, as each process has reported them.
create table open_streams (
  process text not null,
  application_key bigint not null,
  count bigint not null,
  reported bigint not null,
  primary key (application_key, process)
) /*sqlite: strict*/;

-- The feed of changes. `floor` is the largest number of a deleted tombstone. `filling` is the position of the job that adds
-- the resources of an older version; null once it is through.
create table change_feed (
  one bigint primary key check (one = 1),
  id text not null,
  floor bigint not null,
  filling text
) /*sqlite: strict*/;
-- Players with another name or UUID whose matches and punishments up to the key `done` have moved to the end of the feed; a
-- job moves the others.
create table renamed_players (
  player_key bigint primary key,
  done bigint not null
) /*sqlite: strict*/;

insert into change_feed (one, id, floor, filling) values (
  1,
  /*sqlite: lower(hex(randomblob(6))) */ /*postgres: substr(replace(gen_random_uuid()::text, '-', ''), 1, 12) */,
  0,
  case when exists (select 1 from players) or exists (select 1 from servers) or exists (select 1 from maps)
    then '' else null end
);
