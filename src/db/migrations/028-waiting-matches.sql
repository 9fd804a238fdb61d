-- The matches that wait to be counted, and in bits, which many players share, who may have played in each: whoever reads
-- a player looks for the player's row in few others than those where it is. See records/player-counters.ts.
create table waiting_matches (
  match_key bigint primary key,
  a bigint not null,
  b bigint not null,
  c bigint not null
) /*sqlite: strict*/;
-- In those that wait already anybody may have played.
insert into waiting_matches (match_key, a, b, c)
select key, 4503599627370495, 4503599627370495, 4503599627370495 from matches
where key > (select counted from sequence where name = 'key');
