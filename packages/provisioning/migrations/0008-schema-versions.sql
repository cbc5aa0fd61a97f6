-- checksum 7ac0fe9dce71b7ddff82d62379d9a68f6e4517f3bf6fa716f20ec60a599da5b6, statements 8c64f9bd39c73d6f
-- The schema version of the tenant database after its last migration; null: not known yet.
alter table sandboxes add column schema_version integer;
-- The version to which the tenant database must be migrated before its stack can be started; null: none.
alter table sandboxes add column migration_target integer;
alter table sandboxes add column migration_attempts integer not null default 0;
alter table sandboxes add column migration_failure text;
-- The time of the next attempt; null: now.
alter table sandboxes add column migration_next_at timestamptz;
create index sandboxes_to_migrate on sandboxes (migration_next_at nulls first) where migration_target is not null;
