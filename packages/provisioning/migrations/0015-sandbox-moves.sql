-- The server to which the database of the sandbox is being copied, and since when the sandbox pauses for it.
alter table sandboxes add column moving_to text references database_servers;
alter table sandboxes add column switching_at timestamptz;
create index sandboxes_moving on sandboxes (id) where moving_to is not null;

-- The operator empties the server: no new sandbox is placed there.
alter table database_servers add column is_draining boolean not null default false;
