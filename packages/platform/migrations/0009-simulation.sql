-- checksum df3c8c647f3c0efd8bcd830ee6db2ad587e64f70419ee56073b217a51e69db17, statements b2f730e98e5350df
-- The specification from which a seeded building was generated. The simulation computes new observations from it. Other
-- buildings have no row and cannot be simulated.
create table building_models (
  building_id uuid primary key references buildings on delete cascade,
  spec json not null
);

-- The state of the simulation of a building. At the real time `anchor_real` the simulated time is `anchor_simulated`,
-- and from then on it runs at `speed`.
create table simulations (
  building_id uuid primary key references buildings on delete cascade,
  running boolean not null,
  speed double precision not null,
  started_at timestamptz,
  anchor_real timestamptz not null,
  anchor_simulated timestamptz not null,
  -- All observations up to the simulated time `sent_until` were sent. `sent_real` is the real timestamp of that
  -- simulated time.
  sent_until timestamptz not null,
  sent_real timestamptz not null,
  -- Each command, and each automatic start or pause, increments it. A process writes its progress only if the version
  -- is still the one that the process has read.
  version integer not null default 0,
  -- The process that runs the simulation, and the end of its lease, which it renews. The time is that of the database
  -- server.
  holder uuid,
  held_until timestamptz
);

-- Faults that clients injected into the simulation. The times are simulated times.
create table simulated_faults (
  id uuid primary key,
  building_id uuid not null references buildings on delete cascade,
  fault text not null,
  node_id uuid not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null
);
create index simulated_faults_building on simulated_faults (building_id, ends_at);
