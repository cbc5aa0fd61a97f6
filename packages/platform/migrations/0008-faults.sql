-- What is watched for. A rule names a point, or all points of a quantity kind, a unit, a type of point or of element.
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

-- Buildings that were given the rules that come with one: a default that was deleted stays away.
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
  -- Points go, and what was wrong with them stays.
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
-- A fault that goes on is one fault, whoever sees it.
create unique index faults_going_on on faults (rule_id, point) where state <> 'resolved';
