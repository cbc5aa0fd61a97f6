-- checksum 2714576ecbfe4160161c182a86d4127c298b2bd4f0e86edf8ff2b15082948cde, statements 3b6269f9ae8e0628
-- The building graph of one tenant: a database has the buildings of one organization. The database generates no ids:
-- those of a seeded building are derived from the sandbox and its seed, all others come from the application.

create table organizations (
  id text primary key,
  name text not null,
  created_at timestamptz not null default now()
);

-- Sites and buildings are few, so their external ids are in the row and not in a table of their own. The order of the
-- ids is the order in which the client sent them.
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

-- All nodes of all kinds. This table makes codes unique in a building, and gives the kind and the building of a node by
-- its id. Codes have the collation C, so that the order of lists does not depend on the locale of the server.
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

-- One table for each kind of node. A row has all fields of its node, so that a page of a list is one index scan: 0.6 ms
-- for 1,000 spaces, and 12 ms if codes, times and external ids are joined from other tables. The foreign key to `nodes`
-- updates the code (on update cascade). `external_ids` has the same ids in the same order as node_external_ids, and
-- every write changes both.
-- Columns have the type json, and not jsonb, if their value is only returned: json keeps the text as it was written.

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

-- An element is in a space, on a storey outside of spaces, or has no location. `storey_id` is null for an element in a
-- space: its storey is that of the space, even after the space is moved to another storey.
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

-- The elements and spaces that an element serves, for example with air or heat.
create table element_serves (
  element_id uuid not null references elements on delete cascade,
  target_id uuid not null references nodes on delete cascade,
  primary key (element_id, target_id)
);
create index element_serves_target on element_serves (target_id);

-- `number` identifies the point in the tables of observations: it has 4 bytes, a UUID has 16.
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

-- The change log. Revision 1 is the seeded graph and has no rows in node_changes. The graph at an earlier revision is
-- computed from the current tables: a node that was changed after that revision is read from `before` of its first such
-- change.
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
