-- checksum d29ae0e6998cff4eb05e6bdc1938e4b928d4f60e7af0d156e2a02635689bc831, statements fd5512b1857305f9
-- When the sandbox expired. From then on it does not exist for callers. It is removed after a grace period.
alter table sandboxes add column expired_at timestamptz;
drop index sandboxes_by_expiry;
create index sandboxes_by_expiry on sandboxes (expires_at) where removing_at is null and expired_at is null;
create index sandboxes_in_grace on sandboxes (expired_at) where removing_at is null and expired_at is not null;

-- Sandboxes that this control database has removed. What is left of them can be dropped without a quarantine, unless it
-- includes a complete database.
create table removed_sandboxes (
  id text primary key,
  removed_at timestamptz not null default now()
);

-- Leftovers in quarantine, by the id of their sandbox: databases, roles and folders that no sandbox uses, but that may
-- still be of use. An example is the database of a sandbox that was created after the backup from which the control
-- database was restored.
create table leftovers (
  id text primary key,
  first_seen_at timestamptz not null
);
