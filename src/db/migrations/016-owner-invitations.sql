-- Who was asked to own an application, and has not answered yet: the consent page names owners, so nobody becomes one
-- without having said so.
create table owner_invitations (
  application_key bigint not null references applications (key) on delete cascade,
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  invited_by text not null,
  expires bigint not null,
  primary key (application_key, account_id)
) /*sqlite: strict, without rowid*/;
create index owner_invitations_by_account on owner_invitations (account_id, expires);
create index owner_invitations_by_expiry on owner_invitations (expires);
