-- When old days of history were last let go, and when the clocks were last found to agree while that was due: a sandbox
-- that is awake for minutes a day learns from these what one process cannot see for itself. At most one row.
create table telemetry_upkeep (
  only_row boolean primary key default true check (only_row),
  seen_at timestamptz not null,
  done_at timestamptz
);
