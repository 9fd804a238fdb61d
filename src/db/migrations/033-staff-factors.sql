-- offline: the version before was never released.
-- The code with which a member of staff adds the first second factor; a command makes it.
create table factor_codes (
  account_id text /*postgres: collate "C"*/ primary key references accounts (id) on delete cascade,
  hash text not null,
  expires bigint not null
) /*sqlite: strict, without rowid*/;
create index factor_codes_by_expiry on factor_codes (expires);

-- Second factors of players that staff removes for them, until it takes effect or the owner stops it.
create table factor_resets (
  account_id text /*postgres: collate "C"*/ primary key references accounts (id) on delete cascade,
  -- Of the secret in the link that stops it.
  hash text not null unique,
  effective bigint not null
) /*sqlite: strict, without rowid*/;
create index factor_resets_by_effect on factor_resets (effective);

-- A restored backup must not accept a used code again, nor carry out a reset that was stopped.
/*sqlite:
create trigger revocations_of_factor_codes after delete on factor_codes begin
  insert into revocations (kind, subject, detail) values ('factor code', old.hash, '');
end;
create trigger revocations_of_factor_resets after delete on factor_resets begin
  insert into revocations (kind, subject, detail) values ('factor reset', old.hash, '');
end;
*/

/*postgres:
create function note_staff_factor_revocation() returns trigger language plpgsql as $$
begin
  insert into revocations (kind, subject, detail) values (tg_argv[0], old.hash, '');
  return null;
end $$;
create trigger revocations_of_factor_codes after delete on factor_codes for each row
  execute function note_staff_factor_revocation('factor code');
create trigger revocations_of_factor_resets after delete on factor_resets for each row
  execute function note_staff_factor_revocation('factor reset');
*/
