-- checksum 647df3ce6608f2af965031adb290581ba6ec3159312e1f0e36f8d28517547d04, statements b9c317ff557fadcd
-- Data layers. A layer has at most one value for each space.

-- Columns have the type json, and not jsonb, if their value is only returned: json keeps the text as it was written.
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

-- A value is in the column of its type, so that numbers are compared as numbers. Filters read all values of the layer
-- in the order of the primary key, which is also the order of the result: an index by value would cost more in each
-- upload than it saves. An upload updates most rows of a layer. With free space in the pages, these are HOT updates,
-- which do not write to the indexes: 5,000 rows take 55 ms, and 110 ms without free space.
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
-- For deleting a space, which also deletes its values.
create index layer_values_space on layer_values (space_id);
