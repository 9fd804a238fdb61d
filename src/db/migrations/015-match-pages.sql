-- Consecutive matches as lists show them, put together behind the ingest: a list far back is read from a few rows instead
-- of one for each of its matches. `page` is written by records/match-pages.ts.
create table match_pages (
  first_key bigint primary key,
  page text not null
) /*sqlite: strict*/;
/*postgres: alter table match_pages alter column page set storage plain; */

-- What follows the matches is made for something: the boards for the days of a zone, the pages for settings.
alter table follow_states rename column zone to made_for;
insert into follow_states (name, last, made_for) values ('pages', 0, '');

-- A match is read far more often than it is written: it lies there as it is, not compressed.
/*postgres: alter table match_details set (toast_tuple_target = 8160); */
