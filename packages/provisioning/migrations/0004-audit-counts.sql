-- Repeats of a denial are one row: how many there were, and when the first of them came. `at` is the last of them.
alter table key_audit add column count integer not null default 1 check (count >= 1);
alter table key_audit add column first_at timestamptz;
