-- The control planes that serve at once, if every one of them can reach the stacks. Each updates its row all the time.
create table control_planes (
  id text primary key,
  host text not null,
  pid integer not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- The lease of the control plane that leads: it expires sandboxes, starts and stops stacks, and answers the operator.
create table control_lease (
  name text primary key,
  lease_holder text,
  leased_until timestamptz
);
insert into control_lease (name) values ('leader');

-- When the callers of a control plane last used a stack. The leader stops stacks that none of them uses.
create table stack_uses (
  sandbox_id text not null references sandboxes on delete cascade,
  plane_id text not null,
  used_at timestamptz not null,
  -- The last use with a valid credential; null: none.
  called_at timestamptz,
  primary key (sandbox_id, plane_id)
);

-- The control plane that reads the messages of a sandbox from an external MQTT broker.
create table mqtt_readers (
  sandbox_id text primary key references sandboxes on delete cascade,
  plane_id text not null
);
create index mqtt_readers_by_plane on mqtt_readers (plane_id);
