-- Periodic statements read the sandboxes with something to do, and only as many as can be worked on: an index for each.
drop index sandboxes_with_work;
create index sandboxes_to_remove on sandboxes (organization_id, removing_at, id) where removing_at is not null;
create index sandboxes_to_provision on sandboxes (organization_id, requested_at, id)
  where status = 'provisioning' and removing_at is null;

-- Nearly every sandbox may have work that is due some day, and few of them run.
drop index sandboxes_with_due_work;
create index sandboxes_with_due_work on sandboxes (due_at, id) where due_at is not null;
create index sandboxes_running on sandboxes (id) where running_since is not null;

drop index sandboxes_to_migrate;
create index sandboxes_to_migrate on sandboxes (migration_next_at nulls first, created_at desc)
  where migration_target is not null;

-- Ids in the order of the names of databases and roles in PostgreSQL's catalogs, whatever the collation of this database.
create index sandboxes_in_order on sandboxes (id collate "C");

-- Counts by status, for each scrape of the metrics, read this index only.
create index sandboxes_by_status on sandboxes (status) where removing_at is null and expired_at is null;
