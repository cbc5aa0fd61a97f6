-- Data layers: a value for each room, by layer.

-- Columns of type json hold what is only handed on: the text is kept as it is.
create table data_layers (
  id uuid primary key,
  building_id uuid not null references buildings,
  key text collate "C" not null,
  name text not null,
  description text,
  value_type text not null check (value_type in ('NUMBER', 'STRING', 'BOOLEAN', 'ENUM')),
  value_schema json,
  legend json,
  metadata json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint data_layers_key_key unique (building_id, key)
);

-- The value stands in the column of its type, so that numbers compare as numbers. Filters walk the layer along the key,
-- which is also their order; an index by value would cost each upload more than it saves. An upload writes most rows of
-- a layer: with room for the new beside the old no index is touched (5,000 rows: 55 ms, and 110 without).
create table layer_values (
  layer_id uuid not null references data_layers on delete cascade,
  space_id uuid not null references spaces on delete cascade,
  number double precision,
  text text collate "C",
  truth boolean,
  updated_at timestamptz not null,
  primary key (layer_id, space_id),
  constraint layer_values_one_value check (num_nonnulls(number, text, truth) = 1)
) with (fillfactor = 45);
-- A room that goes takes its values with it.
create index layer_values_space on layer_values (space_id);
