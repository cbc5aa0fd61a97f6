-- checksum 50cf9a9bf41ed4674e375ca38c006156798bd5c25ebacc872af7d4365aa6e776, statements fc466d6798a366fa
-- Chunks: the observations of one point in one UTC day whose values are numbers, packed
-- (src/features/telemetry/storage/chunk-codec.ts). Values that are texts have no history. A point can have several
-- chunks for a day. If two have an observation at the same time, the one with the higher sequence is valid.
create table observation_chunks (
  point integer not null references points (number) on delete cascade,
  day date not null,
  sequence bigint not null generated always as identity,
  count integer not null,
  data bytea not null,
  primary key (point, day, sequence)
);
-- The data is packed, so compression by PostgreSQL (TOAST) would only cost time.
alter table observation_chunks alter column data set storage external;

-- The last value of each point. It is text, because values are numbers or texts.
create table latest_values (
  point integer primary key references points (number) on delete cascade,
  at timestamptz not null,
  value text not null,
  source text
);

-- The faults that were injected into the seeded history: what fault detection should find in it.
create table injected_faults (
  id text primary key,
  kind text not null,
  point integer not null references points (number) on delete cascade,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  amount double precision not null
);
