-- checksum 7e0bdbe8abab4926d84e00586886749dd7214d6d935d49fe44526c54ede96fd7, statements bcef1f2cdc1f5f6d
create table modules (
  slug text collate "C" primary key,
  name text not null,
  version text not null,
  sdk_version text not null,
  remote_entry_url text not null,
  building_types text[] not null,
  events json not null,
  manifest json not null,
  updated_at timestamptz not null
);

-- A license lets a module be used in a building.
create table licenses (
  id uuid primary key,
  module_slug text collate "C" not null references modules on delete cascade,
  building_id uuid not null references buildings on delete cascade,
  created_at timestamptz not null,
  created_by text not null,
  unique (module_slug, building_id)
);
