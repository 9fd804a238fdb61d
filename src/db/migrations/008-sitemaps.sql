-- Where each file of the site's map of its pages begins: keys only grow, so a file that is full stays as it is.
create table sitemap_files (
  kind text not null check (kind in ('matches', 'players', 'maps')),
  first_key bigint not null,
  primary key (kind, first_key)
) /*sqlite: strict, without rowid*/;
insert into sitemap_files (kind, first_key) values ('matches', 0), ('players', 0), ('maps', 0);
