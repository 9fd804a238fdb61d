-- Tells this database from every other one: what was read here has a name that nothing elsewhere has, though all keys be
-- the same.
insert into epochs (name, value) values ('origin', 0);
/*sqlite: update epochs set value = abs(random() % 9007199254740991) where name = 'origin'; */
/*postgres: update epochs set value = floor(random() * 9007199254740991) where name = 'origin'; */
