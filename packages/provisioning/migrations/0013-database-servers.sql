-- The PostgreSQL servers with databases of sandboxes. On the server itself a role, storey_<tag>_server_<id>, has the id, so
-- that it is recognized under another name. `control` is the server of this database.
create table database_servers (
  id text primary key check (id = 'control' or id ~ '^srv_[a-z0-9]{6}$'),
  -- Where it last answered, without account and password; null: not recorded.
  address text,
  first_seen_at timestamptz not null default now()
);
insert into database_servers (id) values ('control');

-- The server of the sandbox's database; null: not chosen yet.
alter table sandboxes add column server_id text default 'control' references database_servers;
create index sandboxes_by_server on sandboxes (server_id);

-- A sandbox may have a leftover on a server and its database on another.
alter table leftovers add column server_id text not null default 'control';
alter table leftovers drop constraint leftovers_pkey, add primary key (id, server_id);
