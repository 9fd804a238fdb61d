-- offline: the version before was never released.
-- The search of the console: every name, address and UUID from the beginning of each of its words, in lower case, so that a
-- prefix of any word is a range of the primary key. `source` is the whole text. Triggers derive the rows.
create table search_terms (
  kind text not null,
  term text /*postgres: collate "C"*/ not null,
  ref text not null,
  source text not null,
  primary key (kind, term, ref, source)
) /*sqlite: strict, without rowid*/;
create index search_terms_by_ref on search_terms (kind, ref, source);

/*sqlite:
create view search_added (kind, ref, source) as select '', '', '' where 0;
create trigger search_words_added instead of insert on search_added begin
  insert into search_terms (kind, term, ref, source)
  select new.kind, substr(new.source, n, 64), new.ref, new.source
  from (with recursive c (n) as (select 1 union all select n + 1 from c where n < length(new.source)) select n from c)
  where n = 1 or instr(' _-.@:/', substr(new.source, n - 1, 1)) > 0
  on conflict do nothing;
end;

create trigger search_new_account_names after insert on accounts begin
  insert into search_added values ('account', new.id, new.name_key);
  insert into search_added values ('account', new.id, new.email_key);
end;
create trigger search_account_names after update of name_key, email_key on accounts begin
  delete from search_terms where kind = 'account' and ref = new.id;
  insert into search_added values ('account', new.id, new.name_key);
  insert into search_added values ('account', new.id, new.email_key);
end;
create trigger search_deleted_accounts after delete on accounts begin
  delete from search_terms where kind = 'account' and ref = old.id;
end;
create trigger search_new_applications after insert on applications begin
  insert into search_added values ('application', new.client_id, lower(new.name));
end;
create trigger search_applications after update of name on applications begin
  delete from search_terms where kind = 'application' and ref = new.client_id;
  insert into search_added values ('application', new.client_id, lower(new.name));
end;
create trigger search_deleted_applications after delete on applications begin
  delete from search_terms where kind = 'application' and ref = old.client_id;
end;
create trigger search_new_servers after insert on servers begin
  insert into search_added values ('server', new.key, new.name_key);
end;
create trigger search_servers after update of name_key on servers begin
  delete from search_terms where kind = 'server' and ref = new.key;
  insert into search_added values ('server', new.key, new.name_key);
end;
create trigger search_deleted_servers after delete on servers begin
  delete from search_terms where kind = 'server' and ref = old.key;
end;
create trigger search_new_maps after insert on maps begin
  insert into search_added values ('map', new.key, new.name_key);
end;
create trigger search_maps after update of name_key on maps begin
  delete from search_terms where kind = 'map' and ref = new.key;
  insert into search_added values ('map', new.key, new.name_key);
end;
create trigger search_deleted_maps after delete on maps begin
  delete from search_terms where kind = 'map' and ref = old.key;
end;
create trigger search_new_player_names after insert on player_names begin
  insert into search_added values ('player', new.player_key, new.name_key);
end;
create trigger search_player_names after update of name_key, player_key on player_names begin
  delete from search_terms where kind = 'player' and ref = old.player_key and source = old.name_key;
  insert into search_added values ('player', new.player_key, new.name_key);
end;
create trigger search_deleted_player_names after delete on player_names begin
  delete from search_terms where kind = 'player' and ref = old.player_key and source = old.name_key;
end;
create trigger search_new_players after insert on players begin
  insert into search_added values ('player', new.key, replace(new.uuid, '-', ''));
end;
create trigger search_players after update of uuid on players begin
  delete from search_terms where kind = 'player' and ref = old.key and source = replace(old.uuid, '-', '');
  insert into search_added values ('player', new.key, replace(new.uuid, '-', ''));
end;
create trigger search_deleted_players after delete on players begin
  delete from search_terms where kind = 'player' and ref = old.key;
end;
*/

/*postgres:
create function search_words(whole text) returns setof text language sql immutable as $$
  select substr(whole, n, 64) from generate_series(1, length(whole)) n
  where n = 1 or strpos(' _-.@:/', substr(whole, greatest(n - 1, 1), 1)) > 0
$$;
create function note_search_words() returns trigger language plpgsql as $$
declare
  whole text;
begin
  if tg_op <> 'INSERT' then
    whole := to_jsonb(old) ->> tg_argv[2];
    if tg_argv[2] = 'uuid' then whole := replace(whole, '-', ''); end if;
    delete from search_terms where kind = tg_argv[0] and ref = to_jsonb(old) ->> tg_argv[1] and source = lower(whole);
  end if;
  if tg_op <> 'DELETE' then
    whole := to_jsonb(new) ->> tg_argv[2];
    if tg_argv[2] = 'uuid' then whole := replace(whole, '-', ''); end if;
    insert into search_terms (kind, term, ref, source)
    select distinct tg_argv[0], words.term, to_jsonb(new) ->> tg_argv[1], lower(whole)
    from (select search_words(lower(whole)) as term) words
    on conflict do nothing;
  end if;
  return null;
end $$;
create trigger search_account_names after insert or delete or update of name_key on accounts
  for each row execute function note_search_words('account', 'id', 'name_key');
create trigger search_account_addresses after insert or delete or update of email_key on accounts
  for each row execute function note_search_words('account', 'id', 'email_key');
create trigger search_applications after insert or delete or update of name on applications
  for each row execute function note_search_words('application', 'client_id', 'name');
create trigger search_servers after insert or delete or update of name_key on servers
  for each row execute function note_search_words('server', 'key', 'name_key');
create trigger search_maps after insert or delete or update of name_key on maps
  for each row execute function note_search_words('map', 'key', 'name_key');
create trigger search_player_names after insert or delete or update of name_key, player_key on player_names
  for each row execute function note_search_words('player', 'player_key', 'name_key');
create trigger search_players after insert or delete or update of uuid on players
  for each row execute function note_search_words('player', 'key', 'uuid');
*/

update accounts set name_key = name_key, email_key = email_key;
update applications set name = name;
update servers set name_key = name_key;
update maps set name_key = name_key;
update player_names set name_key = name_key;
update players set uuid = uuid;
