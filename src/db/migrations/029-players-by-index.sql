-- player_stats holds all that was counted whenever a transaction commits: no match waits.
drop table waiting_matches;
alter table sequence drop column counted;
alter table player_matches drop column rest;
-- A player's matches are paged along an index. The rows themselves stay in the order of matches: they are appended, and
-- what counts matches reads those of a match together.
alter table player_matches drop column previous;
alter table player_stats drop column last_match;
create index player_matches_by_player on player_matches (player_key, match_key);
