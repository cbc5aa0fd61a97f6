-- Whether a building lives, how fast, and since when: from `anchor_real` on its time runs at `speed` from
-- `anchor_simulated`.
create table simulations (
  building_id uuid primary key references buildings on delete cascade,
  running boolean not null,
  speed double precision not null,
  started_at timestamptz,
  anchor_real timestamptz not null,
  anchor_simulated timestamptz not null,
  -- Everything up to this instant of the simulated time was sent.
  sent_until timestamptz not null
);

-- What was broken on request, in simulated time.
create table simulated_faults (
  id uuid primary key,
  building_id uuid not null references buildings on delete cascade,
  fault text not null,
  node_id uuid not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null
);
create index simulated_faults_building on simulated_faults (building_id, ends_at);
