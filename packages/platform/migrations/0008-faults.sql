-- checksum db97f0ff3c89b30a16347fadcf2311bd299365642d9dc1cf729e77f9aa2f46da, statements c8cc42ba07952bc1
-- Rules for detecting faults. A rule applies to the points that match all of its conditions: point, quantity kind,
-- unit, type of the point and type of the element. A condition that is null matches every point.
create table fault_rules (
  id uuid primary key,
  building_id uuid not null references buildings on delete cascade,
  kind text not null,
  name text not null,
  severity text not null,
  enabled boolean not null default true,
  is_default boolean not null default false,
  point_id uuid,
  quantity_kind text,
  unit text,
  point_type text,
  element_type text,
  above double precision,
  below double precision,
  duration_seconds integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index fault_rules_building on fault_rules (building_id);

-- Buildings for which the default rules were created. A default rule that a client deletes is not created again.
create table fault_rules_given (
  building_id uuid primary key references buildings on delete cascade
);

create table faults (
  id uuid primary key,
  building_id uuid not null references buildings on delete cascade,
  alarm_id uuid not null,
  rule_id uuid references fault_rules on delete set null,
  kind text not null,
  severity text not null,
  title text not null,
  state text not null check (state in ('open', 'acknowledged', 'resolved')),
  -- No foreign keys: a fault is kept when its point or element is deleted.
  point integer not null,
  point_id uuid not null,
  element_id uuid not null,
  value text,
  detected_at timestamptz not null,
  acknowledged_at timestamptz,
  acknowledged_by text,
  resolved_at timestamptz
);
create index faults_newest on faults (building_id, detected_at desc, id);
create index faults_element on faults (element_id);
-- A rule has at most one active fault at a point, even if several processes detect it.
create unique index faults_going_on on faults (rule_id, point) where state <> 'resolved';
