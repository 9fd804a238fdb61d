-- offline: the version before was never released.
-- Long work of operators and account owners (withdrawing events, merging players, anonymising a deleted player). The writer
-- does it in short transactions; each saves its `cursor` here, so that any process can continue after an interruption.
-- `done` counts units of `total`; `total` is null where it is unknown.
create table jobs (
  key bigint primary key,
  kind text not null check (kind in ('withdrawal', 'merge', 'anonymisation')),
  state text not null check (state in ('waiting', 'pausing', 'paused', 'done', 'failed')),
  phase text not null check (phase in ('work', 'derive')),
  label text not null,
  params text not null,
  cursor text not null,
  portions bigint not null,
  done bigint not null,
  total bigint,
  created bigint not null,
  finished bigint,
  error text not null
) /*sqlite: strict*/;
create index jobs_unfinished on jobs (key) where finished is null;

-- What has to be derived again from its remaining events: a player (by key) or an aggregate of the ledger. A job collects
-- the rows while it works and derives each once at its end, or when it is paused.
create table rederivations (
  kind text not null check (kind in ('player', 'aggregate')),
  ref text /*postgres: collate "C"*/ not null,
  primary key (kind, ref)
) /*sqlite: strict, without rowid*/;

-- Punishments in force against players whose account was deleted, by the keyed hash of the UUID: they apply again when the
-- game account is linked again.
create table held_punishments (
  uuid_hash text not null,
  punishment_key bigint not null references punishments (key) on delete cascade,
  primary key (uuid_hash, punishment_key)
) /*sqlite: strict, without rowid*/;
create index held_punishments_by_punishment on held_punishments (punishment_key);

-- A withdrawal deletes the details of a match before its other rows.
/*sqlite:
create trigger match_details_deleted after delete on match_details begin
  update data_versions set value = value + 1 where name = 'matches';
end;
*/

-- Anonymisations that an earlier version left incomplete go on as a job, which starts over.
insert into jobs (key, kind, state, phase, label, params, cursor, portions, done, total, created, finished, error)
select min(created), 'anonymisation', 'waiting', 'work', '', '{}', '{}', 0, 0, null, min(created), null, ''
from pseudonyms where original is not null having count(*) > 0;
