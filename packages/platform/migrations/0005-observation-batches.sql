-- checksum 6db03b0933842de8f76a95b8f98df128a81ffeb46fe98408cee5642b56e1d6e6, statements 6a0fef89a6b1accb
-- Batches: the observations of one request, or of several stored together, packed
-- (src/features/telemetry/storage/batch-codec.ts), until they are folded into chunks. `arrived` is the id of the
-- transaction that inserted the batch. If two batches have an observation of the same point and time, the one with the
-- higher `arrived` is valid. Only batches older than all running transactions are folded, so that no batch can be
-- committed later that is older than a folded one.
create table observation_batches (
  id bigint generated always as identity primary key,
  arrived xid8 not null default pg_current_xact_id(),
  received_at timestamptz not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  count integer not null,
  data bytea not null
);
-- The data is packed, so compression by PostgreSQL (TOAST) would only cost time.
alter table observation_batches alter column data set storage external;

-- The sources of the observations of a chunk, run-length encoded: a list of [count, source]. Null if no observation has
-- a source.
alter table observation_chunks add column sources json;

-- For retention, which deletes the chunks of old days. A BRIN index is small and cheap to update.
create index observation_chunks_day on observation_chunks using brin (day);

-- The number of the folding run that wrote the last value. A process that knows the values up to a run reads only those
-- of later runs.
create sequence folding_runs;
alter table latest_values add column run bigint not null default 0;

-- Settings of the tenant, such as how long observations are kept.
create table settings (
  name text primary key,
  value json not null
);
