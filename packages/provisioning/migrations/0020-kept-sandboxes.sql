-- checksum f4af589d53db9ae6cee84eeec6bff88fed48d1b78384c7211a00f5107717e331, statements c8f799e444187131
-- Before this time an expired sandbox is not removed. It is set if the sandbox expired while no service ran.
alter table sandboxes add column kept_until timestamptz;
-- Whether a complete database is kept when the sandbox is removed or reset. It is set when a service starts after a
-- time in which no service ran, or with a control database that was restored from a backup, for removals and resets
-- that were requested before.
alter table sandboxes add column keeps_database boolean not null default false;
