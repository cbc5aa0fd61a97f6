-- checksum ac2c09581a4ca271554c985639e970740eb1eecc87eecca1e16b86b3b66caddb, statements 241d5631a536a708
-- Attempts before this time are refused. Each further failure doubles the wait, up to a maximum, so no account is
-- locked forever.
alter table identity_attempts add column blocked_until timestamptz not null default '-infinity';
