-- Since when a sandbox is expired: gone for everyone, and kept unseen until its grace is over.
alter table sandboxes add column expired_at timestamptz;
drop index sandboxes_by_expiry;
create index sandboxes_by_expiry on sandboxes (expires_at) where removing_at is null and expired_at is null;
create index sandboxes_in_grace on sandboxes (expired_at) where removing_at is null and expired_at is not null;

-- Sandboxes that this control database removed. It proves that what is left of them is nobody's.
create table removed_sandboxes (
  id text primary key,
  removed_at timestamptz not null default now()
);

-- Databases, roles and folders that no sandbox owns and no removal explains, such as those of tenants that are newer
-- than a restored control database. They are dropped days after they were first seen.
create table leftovers (
  id text primary key,
  first_seen_at timestamptz not null
);
