-- Numeric history: the observations of one point within one UTC day, packed (src/telemetry/chunk-codec.ts). Several
-- chunks may cover a day; where they hold the same instant, the one that came later counts.
create table observation_chunks (
  point integer not null references points (number) on delete cascade,
  day date not null,
  sequence bigint not null generated always as identity,
  count integer not null,
  data bytea not null,
  primary key (point, day, sequence)
);
-- Packed already: trying to compress it again only costs time.
alter table observation_chunks alter column data set storage external;

-- The last value of each point, number or text, as it came.
create table latest_values (
  point integer primary key references points (number) on delete cascade,
  at timestamptz not null,
  value text not null,
  source text
);

-- What was put wrong on purpose into the seeded history: the truth against which fault detection can be measured.
create table injected_faults (
  id text primary key,
  kind text not null,
  point integer not null references points (number) on delete cascade,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  amount double precision not null
);
