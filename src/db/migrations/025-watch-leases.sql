-- offline: the version before was never released.
-- The process `holder` polls a watched server until `held_until`, as in `managed_servers`; it keeps the schedule of the polls in
-- memory.
alter table server_watches drop column due;
alter table server_watches add column holder text not null default '';
alter table server_watches add column held_until bigint not null default 0;
