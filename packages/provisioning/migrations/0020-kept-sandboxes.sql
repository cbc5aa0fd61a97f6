-- Until when an expired sandbox is kept at least, because it expired while no service ran.
alter table sandboxes add column kept_until timestamptz;
