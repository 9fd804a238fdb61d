-- When the factor was added that proved who uses a session: the newest one alone cannot stop a reset.
alter table account_sessions add column proved_by bigint;
