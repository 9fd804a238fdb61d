-- One event may see a player under several names: who played a match under UUIDs that were merged into one.
create table sighted (
  player_key bigint not null references players (key) on delete cascade,
  ledger_key bigint not null,
  time bigint not null,
  name text not null,
  primary key (player_key, ledger_key, name)
) /*sqlite: strict, without rowid*/;
insert into sighted (player_key, ledger_key, time, name) select player_key, ledger_key, time, name from player_sightings;
drop table player_sightings;
alter table sighted rename to player_sightings;
