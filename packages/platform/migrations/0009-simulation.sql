-- What a seeded building was drawn from: its model goes on from there. A building that came otherwise has none.
create table building_models (
  building_id uuid primary key references buildings on delete cascade,
  spec json not null
);

-- Whether a building lives, how fast, and since when: from `anchor_real` on its time runs at `speed` from
-- `anchor_simulated`.
create table simulations (
  building_id uuid primary key references buildings on delete cascade,
  running boolean not null,
  speed double precision not null,
  started_at timestamptz,
  anchor_real timestamptz not null,
  anchor_simulated timestamptz not null,
  -- Everything up to this instant of the simulated time was sent, and the last of it bore `sent_real`.
  sent_until timestamptz not null,
  sent_real timestamptz not null,
  -- Goes up with every order: what was begun before one does not write after it.
  version integer not null default 0,
  -- The process that simulates, for as long as it says so again and again. By the database's own clock.
  holder uuid,
  held_until timestamptz
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
