-- What each server has added to the samples of who was online, so that what it told can be taken out of them again.
create table online_by_server (
  time bigint not null references online_samples (time) on delete cascade,
  server_key bigint not null,
  -- When the heartbeat that tells of it was received.
  received bigint not null,
  count bigint not null,
  primary key (time, server_key)
) /*sqlite: strict, without rowid*/;
