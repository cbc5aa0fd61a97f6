-- checksum b5c86e2df2e08e05b0d7a0a8a3cdcafce10a12999e6eac5d1d16c4f09601e776, statements 1c742b51b49509ec
-- The server to which the database of the sandbox is being moved.
alter table sandboxes add column moving_to text references database_servers;
-- Since this time the stack of the sandbox is stopped, so that the move can be completed.
alter table sandboxes add column switching_at timestamptz;
create index sandboxes_moving on sandboxes (id) where moving_to is not null;

-- Whether the operator is emptying the server: no new sandbox is placed on it.
alter table database_servers add column is_draining boolean not null default false;
