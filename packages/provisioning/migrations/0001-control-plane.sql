-- checksum 632010ebfe35153fb212465aabe4aafd3ebf4e581d396bfe5d65b37a03b9d96f, statements b41f627de8898e37
-- One row. The tag is part of the names of all databases and roles that this installation creates. So two installations
-- can share a PostgreSQL server, and neither treats the databases of the other as leftovers.
create table installation (
  singleton boolean primary key default true check (singleton),
  tag text not null check (tag ~ '^[a-z0-9]{6}$'),
  created_at timestamptz not null default now()
);

create table organizations (
  id text primary key check (id like 'org\_%'),
  name text not null,
  created_at timestamptz not null
);

-- The id is the `sub` claim of the developer's tokens.
create table developers (
  id text primary key,
  organization_id text not null references organizations,
  email text not null unique check (email = lower(email)),
  created_at timestamptz not null
);
create index developers_by_organization on developers (organization_id, created_at, id);

create table api_keys (
  id text primary key check (id like 'key\_%'),
  organization_id text not null references organizations,
  developer_id text not null references developers,
  label text not null,
  -- Null for keys that were created before scopes existed. They have the scope `full`.
  scope text check (scope in ('sandbox', 'publish', 'full')),
  hash bytea not null unique check (length(hash) = 32),
  operator_minted boolean not null default false,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_by_organization on api_keys (organization_id, created_at);

create table sandboxes (
  id text primary key check (id ~ '^sbx_[a-z0-9]+$'),
  developer_id text not null references developers,
  organization_id text not null references organizations,
  -- The organization in the tenant database.
  tenant_id text not null unique,
  name text not null,
  slug text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  building jsonb not null,
  telemetry_days integer not null,
  status text not null check (status in ('provisioning', 'ready', 'failed')),
  -- How often the current provisioning was started. The number is limited, because provisioning may crash the control
  -- plane each time.
  attempts integer not null default 0,
  progress_percent integer not null default 0,
  progress_step text not null default 'Waiting',
  failure_reason text,
  site_id uuid,
  building_id uuid,
  fingerprint text,
  created_at timestamptz not null,
  -- When the current building was requested, by the creation or a reset of the sandbox. The seeded history ends at this
  -- time.
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  extensions_used integer not null default 0,
  -- When the removal began. It is never set back to null: from then on the sandbox does not exist for callers.
  removing_at timestamptz,
  idempotency_key text,
  request_hash bytea not null,
  unique (developer_id, idempotency_key)
);
create index sandboxes_by_developer on sandboxes (developer_id, created_at desc, id);
create index sandboxes_with_work on sandboxes (requested_at) where removing_at is not null or status = 'provisioning';
create index sandboxes_by_expiry on sandboxes (expires_at) where removing_at is null;
