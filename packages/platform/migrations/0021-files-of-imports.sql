-- checksum 4bf2edb6304b27f801dd87a786af42e7d9a2636b83d447e4e7d7dbade82b4dbc, statements 4bd35b73218bcd97
-- The uploaded file of an import that waits, in pieces. Used if several processes serve the sandbox, because any of
-- them may process the import.
create table import_files (
  import_id uuid not null references imports on delete cascade,
  position integer not null,
  bytes bytea not null,
  primary key (import_id, position)
);
-- Not compressed: building models compress well, but compressing takes longer than writing them.
alter table import_files alter column bytes set storage external;
