-- checksum 9d132f0f7b74024b7d8a29cc67d2292f5ae580813830d35cf52baac1b13347f3, statements db2e085776b52a90
-- Repeated denials are stored as one row: `count` is their number, `first_at` the time of the first and `at` of the
-- last. `first_at` is null if there was only one denial.
alter table key_audit add column count integer not null default 1 check (count >= 1);
alter table key_audit add column first_at timestamptz;
