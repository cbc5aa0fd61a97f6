-- checksum 1394999e4fc8118b1a0629a5f31fe204ef8023f1363d75ba56823eb8b860c625, statements 54326665597d1545
-- Periodic queries read only sandboxes that have work, and only as many as can be processed at a time. Each query has
-- its own index.
drop index sandboxes_with_work;
create index sandboxes_to_remove on sandboxes (organization_id, removing_at, id) where removing_at is not null;
create index sandboxes_to_provision on sandboxes (organization_id, requested_at, id)
  where status = 'provisioning' and removing_at is null;

-- Separate indexes, because nearly every sandbox may have due work at some time, and few stacks run.
drop index sandboxes_with_due_work;
create index sandboxes_with_due_work on sandboxes (due_at, id) where due_at is not null;
create index sandboxes_running on sandboxes (id) where running_since is not null;

drop index sandboxes_to_migrate;
create index sandboxes_to_migrate on sandboxes (migration_next_at nulls first, created_at desc)
  where migration_target is not null;

-- PostgreSQL's catalogs order the names of databases and roles by the collation C. The sweep for leftovers reads
-- sandboxes in the same order, whatever the collation of this database.
create index sandboxes_in_order on sandboxes (id collate "C");

-- For the counts by status in the metrics, as an index-only scan.
create index sandboxes_by_status on sandboxes (status) where removing_at is null and expired_at is null;
