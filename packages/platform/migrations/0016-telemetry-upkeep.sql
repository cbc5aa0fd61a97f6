-- checksum 11c86a005167e81cc2eac9b31fc576fa3a92f3d81b0862529c79b11162d11718, statements c9b59217a5f4768d
-- The state of retention, which deletes old days of observations; at most one row. `done_at`: when days were last
-- deleted. `seen_at`: a time at which the clocks of the process and the database server agreed. A process that has just
-- started cannot know whether its clock is right, and a stack may be awake for only minutes a day. So retention uses
-- the time that an earlier process recorded.
create table telemetry_upkeep (
  only_row boolean primary key default true check (only_row),
  seen_at timestamptz not null,
  done_at timestamptz
);
