-- Under which key a merged player was known, so that an export can tell of it.
alter table player_aliases add column key bigint;
