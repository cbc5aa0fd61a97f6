-- When the last suspension of a sandbox was lifted. The operator may have restored a backup into its database meanwhile, so
-- the database is checked again before it is used.
alter table sandboxes add column resumed_at timestamptz;
