-- Failures are followed by waits that grow; nobody is locked out for good.
alter table identity_attempts add column blocked_until timestamptz not null default '-infinity';
