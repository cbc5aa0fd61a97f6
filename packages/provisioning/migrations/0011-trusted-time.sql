-- The last time at which the clocks were trusted. A start far from it may be one with a wrong clock.
alter table installation add column trusted_at timestamptz not null default now();
-- For an existing installation, the newest time that it has recorded.
update installation set trusted_at = greatest(created_at,
  (select max(created_at) from sandboxes), (select max(at) from key_audit));
