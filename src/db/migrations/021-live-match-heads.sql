-- The teams of a running match without their players, as JSON, and their number: lists show no more, and the players of 200
-- matches take longer to parse than the rest of a page. The next report of each server fills them.
alter table live_matches add column team_heads text not null default '[]';
alter table live_matches add column team_count bigint not null default 0;
