-- The building graph of one tenant: one database holds one organization's buildings.
-- Ids come from outside (they derive from the sandbox and its seed, or are drawn by the writer).

create table organizations (
  id text primary key,
  name text not null,
  created_at timestamptz not null default now()
);

-- Sites and buildings are few: their external ids stand in the row, in the order they were given.
create table sites (
  id uuid primary key,
  organization_id text not null references organizations,
  code text not null,
  name text not null,
  address text,
  latitude double precision,
  longitude double precision,
  external_ids json not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (organization_id, code)
);

create table buildings (
  id uuid primary key,
  site_id uuid not null references sites,
  code text collate "C" not null,
  name text not null,
  building_type text not null,
  timezone text not null,
  address text,
  latitude double precision,
  longitude double precision,
  area_sqm double precision,
  external_ids json not null default '[]',
  revision bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (site_id, code)
);

-- The register of nodes: it holds what must be unique in a building across all kinds, and what a mere id is asked for.
-- Codes sort by their bytes: the order of a list must not depend on the server's locale.
create table nodes (
  id uuid primary key,
  building_id uuid not null references buildings,
  kind text not null check (kind in ('storey', 'space', 'element', 'point')),
  code text collate "C" not null,
  constraint nodes_code_key unique (building_id, code),
  constraint nodes_identity_key unique (id, building_id, code)
);

create table node_external_ids (
  node_id uuid not null references nodes on delete cascade,
  position smallint not null,
  building_id uuid not null,
  source_system text collate "C" not null,
  external_id text collate "C" not null,
  primary key (node_id, position),
  constraint node_external_ids_triple_key unique (building_id, source_system, external_id)
);

-- The kinds. Each row is a whole record, so that a page of a list is one walk along one index (1,000 spaces: 0.6 ms;
-- 12 ms when codes, times and external ids are joined from the register). Its code follows the register by the foreign
-- key; `external_ids` repeats node_external_ids in their order, and whoever writes the one writes the other.
-- Columns of type json hold what is only handed on: the text is kept as it is.

create table storeys (
  id uuid primary key,
  building_id uuid not null,
  code text collate "C" not null,
  external_ids json not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  name text not null,
  index integer not null,
  elevation_m double precision,
  area_sqm double precision,
  polygon json,
  foreign key (id, building_id, code) references nodes (id, building_id, code) on update cascade on delete cascade
);
create index storeys_list on storeys (building_id, index, code);

create table spaces (
  id uuid primary key,
  building_id uuid not null,
  code text collate "C" not null,
  external_ids json not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  storey_id uuid not null references storeys,
  name text not null,
  space_type text not null,
  area_sqm double precision,
  status text not null,
  is_leasable boolean not null,
  capacity integer,
  polygon json,
  foreign key (id, building_id, code) references nodes (id, building_id, code) on update cascade on delete cascade
);
create index spaces_list on spaces (building_id, code);
create index spaces_storey on spaces (storey_id, code);

-- An element stands in a space, or on a storey outside any space, or nowhere in particular. The storey of an element
-- in a space is the space's: it is not repeated here, so that moving a room moves what stands in it.
create table elements (
  id uuid primary key,
  building_id uuid not null,
  code text collate "C" not null,
  external_ids json not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  space_id uuid references spaces,
  storey_id uuid references storeys,
  name text not null,
  element_type text not null,
  status text not null,
  foreign key (id, building_id, code) references nodes (id, building_id, code) on update cascade on delete cascade,
  constraint elements_one_place check (space_id is null or storey_id is null)
);
create index elements_list on elements (building_id, code);
create index elements_space on elements (space_id);
create index elements_storey on elements (storey_id) where storey_id is not null;

-- What an element feeds: other elements, or spaces.
create table element_serves (
  element_id uuid not null references elements on delete cascade,
  target_id uuid not null references nodes on delete cascade,
  primary key (element_id, target_id)
);
create index element_serves_target on element_serves (target_id);

-- The number stands for the point in time series, where a UUID would be four times as wide.
create table points (
  id uuid primary key,
  building_id uuid not null,
  code text collate "C" not null,
  external_ids json not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  number integer not null generated always as identity unique,
  element_id uuid not null references elements,
  name text not null,
  point_type text not null,
  quantity_kind text not null,
  unit text not null,
  foreign key (id, building_id, code) references nodes (id, building_id, code) on update cascade on delete cascade
);
create index points_list on points (building_id, code);
create index points_element on points (element_id, code);

-- The change log. Revision 1 is the seeded graph and has no node_changes: an older state is read backwards from the
-- current tables, through the `before` of each node's first later change.
create table revisions (
  building_id uuid not null references buildings,
  revision bigint not null,
  at timestamptz not null,
  actor text not null,
  changeset_id uuid,
  summary text not null,
  primary key (building_id, revision)
);
create index revisions_at on revisions (building_id, at);
create index revisions_changeset on revisions (changeset_id) where changeset_id is not null;

create table node_changes (
  building_id uuid not null,
  revision bigint not null,
  node_id uuid not null,
  kind text not null,
  before jsonb,
  after jsonb,
  primary key (building_id, revision, node_id),
  foreign key (building_id, revision) references revisions,
  constraint node_changes_not_empty check (before is not null or after is not null)
);
create index node_changes_node on node_changes (building_id, node_id, revision);

create function refuse_rewriting_history() returns trigger language plpgsql as $$
begin
  raise exception 'the change log is append-only';
end
$$;

create trigger revisions_append_only before update or delete or truncate on revisions
  for each statement execute function refuse_rewriting_history();
create trigger node_changes_append_only before update or delete or truncate on node_changes
  for each statement execute function refuse_rewriting_history();
