-- offline: the version before was never released.
-- Pages and feeds list matches by their end, the data API by their arrival. `matches_by_server` also finds the events of a
-- server.
create index matches_by_end on matches (finished, key);
drop index matches_by_map;
create index matches_by_map_and_end on matches (map_key, finished, key);
create index matches_by_server_and_end on matches (server_key, finished, key);
drop index matches_by_gamemode;
create index matches_by_gamemode_and_end on matches (gamemode, finished, key);

-- Matches that count in no statistics, leaderboards, ranks and results of maps: those with values that no game gives, until an
-- operator counts them, and those that an operator excluded.
create table excluded_matches (
  match_key bigint primary key references matches (key) on delete cascade
) /*sqlite: strict*/;
