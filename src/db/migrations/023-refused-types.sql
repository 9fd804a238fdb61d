-- offline: the version before was never released.
-- The type of a rejected event as sent, sanitised and cut; null where it has none, and for those that were rejected before.
alter table refusals add column type text;
