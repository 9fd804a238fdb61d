-- offline: the version before was never released.
-- Counters that a network declares beside the fixed ones. `id` is the key of the event that declared how the counter counts;
-- declaring it another way gives a new id, under which all reports are counted again. Reports of events up to the key
-- `counted` and from `id` on are counted. `modes` is a list with commas, empty for all modes.
create table counters (
  key text /*postgres: collate "C"*/ primary key,
  id bigint not null unique,
  counted bigint not null,
  label_en text not null,
  label_ja text not null,
  aggregate text not null check (aggregate in ('sum', 'max')),
  modes text not null,
  most bigint not null,
  sort_order bigint not null
) /*sqlite: strict*/;

-- The counters of a match as its page shows them: JSON of `{team, uuid, name, counters}`, also of counters that nobody has
-- declared (yet).
create table match_counters (
  match_key bigint primary key references matches (key) on delete cascade,
  counters text not null
) /*sqlite: strict*/;

-- The counters that an event reports of a player, from which sums and maxima are derived. `counters` is a JSON list of
-- objects: one, or several where merged players took part in the same event.
create table counter_reports (
  event_key bigint not null,
  player_key bigint not null references players (key) on delete cascade,
  mode text /*postgres: collate "C"*/ not null,
  counters text not null,
  primary key (event_key, player_key)
) /*sqlite: strict, without rowid*/;
create index counter_reports_by_player on counter_reports (player_key, event_key);

-- The sum or maximum of a counter (by its id), for each mode and for `total`, all modes together.
create table player_counters (
  counter bigint not null,
  mode text /*postgres: collate "C"*/ not null,
  player_key bigint not null,
  value bigint not null,
  primary key (counter, mode, player_key)
) /*sqlite: strict, without rowid*/;
create index player_counters_by_value on player_counters (counter, mode, value, player_key);

-- Facts about a match that are no members of its specified form: JSON of `{winners, colors, secondary}`; null where there
-- are none.
alter table match_details add column extras text;

-- Neither database can change a check, so the tables are copied. The program knows the kinds.
create table new_jobs (
  key bigint primary key,
  kind text not null,
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
insert into new_jobs (key, kind, state, phase, label, params, cursor, portions, done, total, created, finished, error)
select key, kind, state, phase, label, params, cursor, portions, done, total, created, finished, error from jobs;
drop table jobs;
alter table new_jobs rename to jobs;
/*postgres: alter index new_jobs_pkey rename to jobs_pkey; */
create index jobs_unfinished on jobs (key) where finished is null;

create table new_rederivations (
  kind text not null,
  ref text /*postgres: collate "C"*/ not null,
  primary key (kind, ref)
) /*sqlite: strict, without rowid*/;
insert into new_rederivations (kind, ref) select kind, ref from rederivations;
drop table rederivations;
alter table new_rederivations rename to rederivations;
/*postgres: alter index new_rederivations_pkey rename to rederivations_pkey; */

-- Matches show their counters with the declarations of the moment.
/*sqlite:
create trigger counters_added after insert on counters begin
  update data_versions set value = value + 1 where name = 'matches';
end;
create trigger counters_updated after update on counters begin
  update data_versions set value = value + 1 where name = 'matches';
end;
create trigger counters_deleted after delete on counters begin
  update data_versions set value = value + 1 where name = 'matches';
end;
create trigger match_counters_updated after update on match_counters begin
  update data_versions set value = value + 1 where name = 'matches';
end;
*/
