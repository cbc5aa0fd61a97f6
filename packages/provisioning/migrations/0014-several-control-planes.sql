-- checksum 6964db043ec6dad48861635191681e53c65c3eec0ec15407c7799e19ee9fb658, statements bf060b25ee83babc
-- The running control planes, if several can use the same stacks. Each updates its `seen_at` every second.
create table control_planes (
  id text primary key,
  host text not null,
  pid integer not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- The lease of the leader: the control plane that expires sandboxes, starts and stops stacks, and serves the requests
-- of operator commands.
create table control_lease (
  name text primary key,
  lease_holder text,
  leased_until timestamptz
);
insert into control_lease (name) values ('leader');

-- When clients of each control plane last used a stack. The leader stops stacks that no control plane uses.
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
