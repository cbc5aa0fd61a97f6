-- checksum 49c71a05cb43f03da6f65df9b4cf9fd58c84c3b98e34d43dc9f7d5ce6903e452, statements 51f632e5c84c7d6c
-- The PostgreSQL servers for the databases of sandboxes. On each server there is a role storey_<tag>_server_<id>, by
-- which the server is recognized if its address changes. The id `control` is the server of the control database.
create table database_servers (
  id text primary key check (id = 'control' or id ~ '^srv_[a-z0-9]{6}$'),
  -- The last known address, without user name and password; null: not recorded.
  address text,
  first_seen_at timestamptz not null default now()
);
insert into database_servers (id) values ('control');

-- The server of the sandbox's database; null: not chosen yet.
alter table sandboxes add column server_id text default 'control' references database_servers;
create index sandboxes_by_server on sandboxes (server_id);

-- The database of a sandbox can be on one server, and a leftover of the same sandbox on another.
alter table leftovers add column server_id text not null default 'control';
alter table leftovers drop constraint leftovers_pkey, add primary key (id, server_id);
