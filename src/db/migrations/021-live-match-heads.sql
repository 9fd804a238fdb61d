-- offline: the version before was never released.
-- The teams of a running match without their players, as JSON, their number and the players of the largest one: lists show no more, and the players of 200
-- matches take longer to parse than the rest of a page. The next report of each server fills them.
alter table live_matches add column team_heads text not null default '[]';
alter table live_matches add column team_count bigint not null default 0;
alter table live_matches add column largest_team bigint not null default 0;
