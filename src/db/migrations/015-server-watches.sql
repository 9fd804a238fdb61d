-- offline: the version before was never released.
-- Game servers that are polled by their own protocol. `due` is when the next poll is due; the process that moves it makes the
-- poll. `polled` and `error` (a reason of `PollReason`, empty after a success) describe the last poll, `succeeded`,
-- `player_count` and `max` the last successful one.
create table server_watches (
  server_key bigint primary key references servers (key) on delete cascade,
  address text not null,
  protocol text not null,
  due bigint not null,
  polled bigint,
  error text not null,
  succeeded bigint,
  player_count bigint not null,
  max bigint not null
) /*sqlite: strict*/;
create index server_watches_by_due on server_watches (due);
