-- checksum 93cae90cff2582ad3becbe4bc8f82e0fd9eed29d0008a5e461ea3393afe7ac41, statements d9a0b9338e82317b
-- Changes of the graph: edits, snapshots, changesets and imports.

-- The ids of the nodes that an element serves are in its row, so that changing them changes only one node. The index
-- finds the elements that serve a node, before the node is deleted.
alter table elements add column serves jsonb not null default '[]';
update elements e set serves = t.targets
  from (select element_id, jsonb_agg(target_id order by target_id) as targets from element_serves group by element_id) t
  where t.element_id = e.id;
drop table element_serves;
create index elements_serves on elements using gin (serves) where serves <> '[]';

-- The node as JSON, as graphs, histories and diffs return it (contract/src/graph/nodes.ts). It is written together with
-- the row of its kind. Reading a graph from this text takes 2 µs for each node; composing it from columns takes 9 µs.
alter table nodes add column state json;
create function node_time(at timestamptz) returns text language sql immutable
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
update nodes n set state = row_to_json(s) from (
  select id, external_ids->0->>'externalId' as "externalId", external_ids as "externalIds",
    external_ids->0->>'sourceSystem' as "sourceSystem", code, node_time(created_at) as "createdAt",
    node_time(updated_at) as "updatedAt", name, index, elevation_m as "elevationM", area_sqm as "areaSqm", polygon
  from storeys) s where s.id = n.id;
update nodes n set state = row_to_json(s) from (
  select id, external_ids->0->>'externalId' as "externalId", external_ids as "externalIds",
    external_ids->0->>'sourceSystem' as "sourceSystem", code, node_time(created_at) as "createdAt",
    node_time(updated_at) as "updatedAt", storey_id as "storeyId", name, space_type as "spaceTypeSlug",
    area_sqm as "areaSqm", status, is_leasable as "isLeasable", capacity, polygon
  from spaces) s where s.id = n.id;
update nodes n set state = row_to_json(s) from (
  select id, external_ids->0->>'externalId' as "externalId", external_ids as "externalIds",
    external_ids->0->>'sourceSystem' as "sourceSystem", code, node_time(created_at) as "createdAt",
    node_time(updated_at) as "updatedAt", space_id as "spaceId", storey_id as "storeyId", name,
    element_type as "elementTypeSlug", status, serves
  from elements) s where s.id = n.id;
update nodes n set state = row_to_json(s) from (
  select id, external_ids->0->>'externalId' as "externalId", external_ids as "externalIds",
    external_ids->0->>'sourceSystem' as "sourceSystem", code, node_time(created_at) as "createdAt",
    node_time(updated_at) as "updatedAt", element_id as "elementId", name, point_type as "pointType",
    quantity_kind as "quantityKind", unit
  from points) s where s.id = n.id;
drop function node_time;
alter table nodes alter column state set not null;
create index nodes_graph on nodes (building_id, kind, code);

-- The number of nodes of each kind, for the totals of lists: counting 77,000 points takes 10 ms.
create table node_counts (
  building_id uuid not null references buildings,
  kind text not null,
  count integer not null,
  primary key (building_id, kind)
);
insert into node_counts select building_id, kind, count(*) from nodes group by building_id, kind;

-- These constraints are checked at commit, because one edit may exchange the codes or external ids of two nodes. Edits
-- are validated before they are written.
alter table nodes drop constraint nodes_code_key,
  add constraint nodes_code_key unique (building_id, code) deferrable initially deferred;
alter table node_external_ids drop constraint node_external_ids_triple_key,
  add constraint node_external_ids_triple_key unique (building_id, source_system, external_id)
    deferrable initially deferred;

-- For lookups by an external id without its source system, which a client may omit.
create index node_external_ids_text on node_external_ids (building_id, external_id);

-- The number in the last generated code. No number is used twice.
alter table buildings add column last_code integer not null default 0;

-- These foreign keys always hold, because an edit locks the building and inserts the revision in the same transaction.
-- Checking them again for each of 10,000 rows is a fifth of the database time of an import.
alter table nodes drop constraint nodes_building_id_fkey;
alter table node_changes drop constraint node_changes_building_id_revision_fkey;

-- `before` and `after` are only returned and never searched, and json keeps the text as it was written.
alter table node_changes alter column before type json, alter column after type json;

-- Deleting a point keeps its observations until retention deletes them, so no foreign key refers to it. retired_points
-- has the numbers of deleted points: a point that a revert restores gets its number back, and so its observations.
-- PostgreSQL lets an update set the number only if the column is `generated by default`.
alter table observation_chunks drop constraint observation_chunks_point_fkey;
alter table latest_values drop constraint latest_values_point_fkey;
alter table injected_faults drop constraint injected_faults_point_fkey;
alter table points alter column number set generated by default;
create table retired_points (
  id uuid primary key,
  number integer not null unique
);

create table snapshots (
  id uuid primary key,
  building_id uuid not null references buildings,
  name text collate "C" not null,
  description text,
  revision bigint not null,
  created_by text not null,
  created_at timestamptz not null,
  foreign key (building_id, revision) references revisions,
  constraint snapshots_name_key unique (building_id, name)
);

create table changesets (
  id uuid primary key,
  building_id uuid not null references buildings,
  title text not null,
  description text,
  state text not null,
  operations json not null,
  operation_count integer not null,
  author text not null,
  -- Who wrote the operations, by issuer and subject, because names can be shared or change. Only a platform
  -- administrator (the sandbox's own token, no account) may review operations that they wrote themselves.
  writers text[] not null,
  reviewer text,
  base_revision bigint not null,
  applied_revision bigint,
  reverted_revision bigint,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index changesets_list on changesets (building_id, created_at desc, id);

create table changeset_steps (
  changeset_id uuid not null references changesets,
  position integer not null,
  at timestamptz not null,
  actor text not null,
  action text not null,
  comment text,
  revision bigint,
  primary key (changeset_id, position)
);
create trigger changeset_steps_append_only before update or delete or truncate on changeset_steps
  for each statement execute function refuse_rewriting_history();

create table imports (
  id uuid primary key,
  building_id uuid not null references buildings,
  status text not null,
  replace boolean not null,
  actor text not null,
  size_bytes bigint not null,
  -- How often processing was started. The number is limited, because a file may crash the process each time.
  attempts integer not null default 0,
  schema text,
  failure_reason text,
  revision bigint,
  counts json,
  left_out_total integer not null default 0,
  removed json not null default '[]',
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz
);
create index imports_list on imports (building_id, created_at desc, id);
create index imports_waiting on imports (created_at) where status in ('queued', 'running');

-- The names of spaces in IFC models, usually room numbers, by the GlobalId of the space. A space of another model with
-- the same name on the same storey is matched to the existing space, even if the code of that space is different.
create table model_labels (
  building_id uuid not null references buildings,
  global_id text collate "C" not null,
  label text not null,
  primary key (building_id, global_id)
);

create table import_left_out (
  import_id uuid not null references imports on delete cascade,
  position integer not null,
  entity json not null,
  primary key (import_id, position)
);
