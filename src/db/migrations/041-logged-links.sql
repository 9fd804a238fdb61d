-- offline: the version before was never released.
-- A restored backup must not accept a link of a mail or an invitation that was used or voided since, nor show players who were
-- hidden since. A link that undoes a change of the address is left out: the address is as at the backup, too. The log has the
-- key of a hidden player, because it must not hold names and UUIDs.
/*sqlite:
create trigger revocations_of_mail_tokens after delete on mail_tokens when old.kind not like 'undo-%' begin
  insert into revocations (kind, subject, detail, until) values ('mail link', old.hash, '', old.expires);
end;
create trigger revocations_of_invitations after delete on owner_invitations begin
  insert into revocations (kind, subject, detail, until)
  values ('invitation', old.application_key || ' ' || old.account_id, 'ended', old.expires);
end;
create trigger revocations_of_new_invitations after insert on owner_invitations begin
  insert into revocations (kind, subject, detail, until)
  values ('invitation', new.application_key || ' ' || new.account_id, 'given', new.expires);
end;
create trigger revocations_of_new_hidden_players after insert on hidden_players when new.uuid is not null begin
  insert into revocations (kind, subject, detail)
  select 'hidden player', new.scope_key || ' ' || key, 'hidden' from players where uuid = new.uuid;
end;
create trigger revocations_of_bound_hidden_players after update of uuid on hidden_players when new.uuid is not null begin
  insert into revocations (kind, subject, detail)
  select 'hidden player', new.scope_key || ' ' || key, 'hidden' from players where uuid = new.uuid;
end;
create trigger revocations_of_hidden_players after delete on hidden_players when old.uuid is not null begin
  insert into revocations (kind, subject, detail)
  select 'hidden player', old.scope_key || ' ' || key, 'given' from players where uuid = old.uuid;
end;
*/

/*postgres:
create function note_link_revocation() returns trigger language plpgsql as $$
begin
  if tg_argv[0] = 'mail link' then
    insert into revocations (kind, subject, detail, until) values ('mail link', old.hash, '', old.expires);
  elsif tg_argv[0] = 'invitation' and tg_op = 'DELETE' then
    insert into revocations (kind, subject, detail, until)
    values ('invitation', old.application_key || ' ' || old.account_id, 'ended', old.expires);
  elsif tg_argv[0] = 'invitation' then
    insert into revocations (kind, subject, detail, until)
    values ('invitation', new.application_key || ' ' || new.account_id, 'given', new.expires);
  elsif tg_op = 'DELETE' then
    insert into revocations (kind, subject, detail)
    select 'hidden player', old.scope_key || ' ' || key, 'given' from players where uuid = old.uuid;
  else
    insert into revocations (kind, subject, detail)
    select 'hidden player', new.scope_key || ' ' || key, 'hidden' from players where uuid = new.uuid;
  end if;
  return null;
end $$;
create trigger revocations_of_mail_tokens after delete on mail_tokens for each row
  when (old.kind not like 'undo-%') execute function note_link_revocation('mail link');
create trigger revocations_of_invitations after insert or delete on owner_invitations for each row
  execute function note_link_revocation('invitation');
create trigger revocations_of_hidden_players after insert or delete or update of uuid on hidden_players for each row
  execute function note_link_revocation('hidden player');
*/
