-- checksum 56b8314f4931f5b4ab04e26f317185c4f56c88691cbc0f317522037b3eb4aa92, statements c5776d2e05ced15b
-- When the sandbox was last resumed after a suspension. During the suspension the operator may have restored a backup
-- into the database, so the database is checked before it is used.
alter table sandboxes add column resumed_at timestamptz;
