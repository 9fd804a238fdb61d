-- The row of a player in player_stats holds all that was counted whenever a transaction commits.
drop table waiting_matches;
alter table player_matches drop column rest;
alter table sequence drop column counted;
