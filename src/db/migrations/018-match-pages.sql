-- Consecutive matches as lists show them, put together behind the ingest: a list far back is read from a few rows instead
-- of one for each of its matches. `page` is written by records/match-pages.ts.
create table match_pages (
  first_key bigint primary key,
  page text not null
) /*sqlite: strict*/;

-- What follows the matches is made for something: the boards for the days of a zone, the pages for settings.
alter table follow_states rename column zone to made_for;
insert into follow_states (name, last, made_for) values ('pages', 0, '');

-- Both are read far more often than they are written: they lie there as they are, not compressed.
/*postgres: alter table match_pages set (toast_tuple_target = 8160); */
/*postgres: alter table match_details set (toast_tuple_target = 8160); */
