-- The schema of a tenant's database as its last migration left it; null: nobody looked yet.
alter table sandboxes add column schema_version integer;
-- Set while the database has to be brought to this version: until then its stack is not started.
alter table sandboxes add column migration_target integer;
alter table sandboxes add column migration_attempts integer not null default 0;
alter table sandboxes add column migration_failure text;
-- Not tried again before; null: at once.
alter table sandboxes add column migration_next_at timestamptz;
create index sandboxes_to_migrate on sandboxes (migration_next_at nulls first) where migration_target is not null;
