-- offline: the version before was never released.
-- Receivers of changes: each is a place in the feed (store/applications/webhooks.ts). `place` is the number of the last change
-- that was delivered or set aside, `walk_head` the head of the feed at the beginning of a first reading. Of form `standard`
-- `sealed_secret` signs, and so does `sealed_former` until `former_until`; of form `discord` it is the token of the address.
-- `failed` changes in a row, each at its first attempt; `attempts` without success since `failing`.
-- `pauses` is the number of pauses in a row, `next_attempt` the end of the present one. `mail_due` is when the owners are told that
-- it was switched off, null once they are; `mailed` is when they were told last. `holder` and `held_until` as in `managed_servers`.
create table webhooks (
  key bigint primary key,
  application_key bigint not null references applications (key) on delete cascade,
  url text not null,
  form text not null check (form in ('standard', 'discord')),
  kinds text not null,
  state text not null check (state in ('unverified', 'on', 'waiting', 'off')),
  reason text not null,
  since bigint not null,
  verified bigint,
  feed text not null,
  place bigint not null,
  walk_head bigint,
  after_reset text not null check (after_reset in ('head', 'start')),
  sealed_secret text not null,
  sealed_former text,
  former_until bigint,
  revision bigint not null,
  logged bigint not null,
  failed bigint not null,
  attempts bigint not null,
  failing bigint,
  pauses bigint not null,
  next_attempt bigint not null,
  mail_due bigint,
  mailed bigint,
  holder text not null,
  held_until bigint not null,
  created bigint not null
) /*sqlite: strict*/;
create index webhooks_of_application on webhooks (application_key, key);
create index webhooks_by_holder on webhooks (holder);
create index webhooks_by_mail on webhooks (mail_due) where mail_due is not null;

-- The log of a webhook: one row a message, with its last attempt. `change` is the number of the change, null for other messages.
-- A purge deletes the rows of a deleted webhook, which are too many for the transaction that deletes it. A `replaced` one is sent again as a later row, or a newer change of the resource follows, or the feed was another one.
create table webhook_deliveries (
  webhook_key bigint not null,
  number bigint not null,
  type text not null,
  kind text,
  resource bigint,
  change bigint,
  state text not null check (state in ('pending', 'delivered', 'set_aside', 'replaced')),
  attempts bigint not null,
  next_attempt bigint,
  created bigint not null,
  attempted bigint,
  status bigint,
  reason text not null,
  ms bigint,
  response text not null,
  primary key (webhook_key, number)
) /*sqlite: strict*/;
create index webhook_deliveries_pending on webhook_deliveries (webhook_key, next_attempt, number) where state = 'pending';
create index webhook_deliveries_set_aside on webhook_deliveries (webhook_key, number) where state = 'set_aside';
create index webhook_deliveries_by_resource on webhook_deliveries (webhook_key, kind, resource);
create index webhook_deliveries_by_time on webhook_deliveries (created);

-- A restored backup must not send to a receiver that was removed or switched off since. The subject is the key.
/*sqlite:
create trigger revocations_of_webhooks after delete on webhooks begin
  insert into revocations (kind, subject, detail) values ('webhook', old.key, 'removed');
end;
create trigger revocations_of_webhook_states after update of state on webhooks
  when (old.state = 'off') <> (new.state = 'off') begin
  insert into revocations (kind, subject, detail) values ('webhook', new.key,
    case when new.state = 'off' then 'off ' || new.reason else 'given' end);
end;
*/

/*postgres:
create function note_webhook_revocation() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into revocations (kind, subject, detail) values ('webhook', old.key, 'removed');
  else
    insert into revocations (kind, subject, detail) values ('webhook', new.key,
      case when new.state = 'off' then 'off ' || new.reason else 'given' end);
  end if;
  return null;
end $$;
create trigger revocations_of_webhooks after delete on webhooks for each row execute function note_webhook_revocation();
create trigger revocations_of_webhook_states after update of state on webhooks for each row
  when ((old.state = 'off') <> (new.state = 'off')) execute function note_webhook_revocation();
*/
