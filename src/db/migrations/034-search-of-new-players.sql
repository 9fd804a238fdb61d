-- offline: the version before was never released.
-- PostgreSQL calls a trigger for each row too often for a match with a thousand new players: one call notes the words of all
-- rows that a statement inserts. SQLite compiles its triggers into the statement.
/*postgres:
create function note_new_player_words() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'players' then
    insert into search_terms (kind, term, ref, source)
    select distinct 'player', words.term, cast(added.key as text), lower(replace(added.uuid, '-', ''))
    from added, lateral (select search_words(lower(replace(added.uuid, '-', ''))) as term) words
    on conflict do nothing;
  else
    insert into search_terms (kind, term, ref, source)
    select distinct 'player', words.term, cast(added.player_key as text), lower(added.name_key)
    from added, lateral (select search_words(lower(added.name_key)) as term) words
    on conflict do nothing;
  end if;
  return null;
end $$;

drop trigger search_player_names on player_names;
drop trigger search_players on players;
create trigger search_player_names after delete or update of name_key, player_key on player_names
  for each row execute function note_search_words('player', 'player_key', 'name_key');
create trigger search_players after delete or update of uuid on players
  for each row execute function note_search_words('player', 'key', 'uuid');
create trigger search_new_player_names after insert on player_names referencing new table as added
  for each statement execute function note_new_player_words();
create trigger search_new_players after insert on players referencing new table as added
  for each statement execute function note_new_player_words();
*/
