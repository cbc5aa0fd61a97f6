-- Before this time an expired sandbox is not removed. It is set if the sandbox expired while no service ran.
alter table sandboxes add column kept_until timestamptz;
-- Whether a complete database is kept when the sandbox is removed or reset, because that was requested before a time in
-- which no service ran, or before the backup of a control database that was restored.
alter table sandboxes add column keeps_database boolean not null default false;
