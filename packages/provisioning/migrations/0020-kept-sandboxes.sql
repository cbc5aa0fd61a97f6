-- checksum f4af589d53db9ae6cee84eeec6bff88fed48d1b78384c7211a00f5107717e331, statements c8f799e444187131
-- Before this time an expired sandbox is not removed. A service that starts after a time in which no service ran sets
-- it for the sandboxes that expired before or during that time.
alter table sandboxes add column kept_until timestamptz;
-- Whether a complete database is kept when the sandbox is removed or reset. A service that starts sets it for earlier
-- removals and resets, if no service ran for some time before, or if the control database was restored from a backup.
alter table sandboxes add column keeps_database boolean not null default false;
