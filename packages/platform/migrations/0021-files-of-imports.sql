-- The uploaded file of an import that waits, in pieces, if several processes serve the sandbox: any of them may read it.
create table import_files (
  import_id uuid not null references imports on delete cascade,
  position integer not null,
  bytes bytea not null,
  primary key (import_id, position)
);
-- Building models compress well, but compressing takes longer than writing them.
alter table import_files alter column bytes set storage external;
