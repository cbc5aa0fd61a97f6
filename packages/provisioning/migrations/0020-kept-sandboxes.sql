-- checksum f4af589d53db9ae6cee84eeec6bff88fed48d1b78384c7211a00f5107717e331, statements c8f799e444187131
-- An expired sandbox is not removed before this time. A service that starts after a period in which no service ran sets
-- this time for the sandboxes that expired before or during that period.
alter table sandboxes add column kept_until timestamptz;
-- Whether a removal, creation or reset in progress keeps the database of the sandbox if it finds a complete one. A
-- service that starts sets this for work that was requested earlier, if no service ran for some time before the start,
-- or if the control database was restored from a backup.
alter table sandboxes add column keeps_database boolean not null default false;
