-- checksum d323c142ac0ed6eebc60c7e341c9e752688835e290c4231aecb8c7908a373727, statements 6205909c3da1428e
-- The disk space that the sandbox uses, as its stack last measured it.
alter table sandboxes add column storage_bytes bigint;
alter table sandboxes add column storage_measured_at timestamptz;
