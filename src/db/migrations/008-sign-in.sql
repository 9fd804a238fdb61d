-- offline: the version before was never released.
-- Whether the refresh tokens of a `service` application are replaced at each use; those of public applications always are.
alter table applications add column rotate_refresh_tokens bigint not null default 0
  check (rotate_refresh_tokens in (0, 1));

-- The console is a part of the network and asks for no consent, so the consents that it got before mean nothing.
delete from consents where client_id in (select client_id from first_party_clients);
