-- checksum 9ef04246da0ca1a85d43638ce78186007e4def59db1e28e95ad1bce75029f944, statements 4145a888a9660e8b
-- The last time at which the clocks were trusted. If the clocks are far from this time at the next start, they may be
-- wrong.
alter table installation add column trusted_at timestamptz not null default now();
-- For an existing installation, this is the latest time that it has recorded.
update installation set trusted_at = greatest(created_at,
  (select max(created_at) from sandboxes), (select max(at) from key_audit));
