-- Rows of players' matches lie where the match is, one behind the other as matches come, and each names the player's
-- match before: a player's matches are walked from the newest, and no index by player has to be written at a hundred
-- places for every few matches.
alter table player_stats add column last_match bigint;
create table played (
  match_key bigint not null references matches (key) on delete cascade,
  player_key bigint not null,
  name text not null,
  result text not null,
  score bigint not null,
  kill_count bigint not null,
  death_count bigint not null,
  time_played bigint not null,
  previous bigint,
  primary key (match_key, player_key)
) /*sqlite: strict, without rowid*/;
insert into played (match_key, player_key, name, result, score, kill_count, death_count, time_played, previous)
  select match_key, player_key, name, result, score, kill_count, death_count, time_played,
    lag(match_key) over (partition by player_key order by match_key)
  from player_matches;
update player_stats set last_match = (
  select max(m.match_key) from player_matches m where m.player_key = player_stats.player_key);
drop table player_matches;
alter table played rename to player_matches;
