-- Pages in the order in which lists go on, each under the negative of the first key that it covers: see
-- records/match-pages.ts, which fills the table anew.
drop table match_pages;
create table match_pages (
  place bigint primary key,
  page text not null
) /*sqlite: strict*/;
/*postgres: alter table match_pages set (toast_tuple_target = 8160); */
update follow_states set last = 0, made_for = '' where name = 'pages';
