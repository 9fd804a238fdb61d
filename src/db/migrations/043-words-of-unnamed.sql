-- offline: the version before was never released.
-- A player whose UUID or name is unknown has an empty text. On SQLite its empty word was noted, so that a search could find it.
/*sqlite:
drop trigger search_words_added;
create trigger search_words_added instead of insert on search_added when new.source <> '' begin
  insert into search_terms (kind, term, ref, source)
  select new.kind, substr(new.source, n, 64), new.ref, new.source
  from (with recursive c (n) as (select 1 union all select n + 1 from c where n < length(new.source)) select n from c)
  where n = 1 or instr(' _-.@:/', substr(new.source, n - 1, 1)) > 0
  on conflict do nothing;
end;
*/
delete from search_terms where source = '';
