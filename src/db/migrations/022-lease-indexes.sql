-- offline: the version before was never released.
-- Leases and polls are found by what a process has seen of them, not by a time in the row: nothing reads these indexes.
drop index managed_servers_by_lease;
drop index server_watches_by_due;
