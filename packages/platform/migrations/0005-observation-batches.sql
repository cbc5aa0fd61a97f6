-- What was ingested and is not yet folded into chunks: one row a request, packed (src/telemetry/batch-codec.ts).
-- `arrived` is the order in which observations count: the number of the transaction that brought them. Only batches
-- older than every transaction that still runs are folded, so that none can come to stand before one that was.
create table observation_batches (
  id bigint generated always as identity primary key,
  arrived xid8 not null default pg_current_xact_id(),
  received_at timestamptz not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  count integer not null,
  data bytea not null
);
-- Packed already: trying to compress it again only costs time.
alter table observation_batches alter column data set storage external;

-- Who sent the observations of a chunk, as runs of one name in their order; null where nobody said.
alter table observation_chunks add column sources json;

-- Old days leave a block at a time.
create index observation_chunks_day on observation_chunks using brin (day);

-- Which run of the folding wrote a last value: who has seen all up to one run asks for the later ones only.
create sequence folding_runs;
alter table latest_values add column run bigint not null default 0;

-- What a tenant sets for itself.
create table settings (
  name text primary key,
  value json not null
);
