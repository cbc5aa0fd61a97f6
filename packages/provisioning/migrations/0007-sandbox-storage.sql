-- What a sandbox takes of the disk, as its stack measured it last; it keeps its figure while it sleeps.
alter table sandboxes add column storage_bytes bigint;
alter table sandboxes add column storage_measured_at timestamptz;
