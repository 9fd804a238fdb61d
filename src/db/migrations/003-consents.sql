-- What an account agreed to let an application see; sign-ins of the same application with no more than that ask no more.
create table consents (
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  client_id text not null references applications (client_id) on delete cascade,
  scopes text not null,
  granted bigint not null,
  used bigint not null,
  primary key (account_id, client_id)
) /*sqlite: strict, without rowid*/;
create index consents_by_client on consents (client_id);
