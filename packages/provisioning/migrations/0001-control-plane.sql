-- One row: this installation's short name, which is part of every database and role it makes, so that two
-- installations can share a server without taking each other's tenants for orphans.
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

-- The id is the subject of the developer's tokens.
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
  -- Null for keys from before scopes existed: they behave as full.
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
  -- The organization inside the sandbox.
  tenant_id text not null unique,
  name text not null,
  slug text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  building jsonb not null,
  telemetry_days integer not null,
  status text not null check (status in ('provisioning', 'ready', 'failed')),
  -- How often the work of the present provisioning was taken up: a sandbox that ends the control plane each time
  -- must not do so forever.
  attempts integer not null default 0,
  progress_percent integer not null default 0,
  progress_step text not null default 'Waiting',
  failure_reason text,
  site_id uuid,
  building_id uuid,
  fingerprint text,
  created_at timestamptz not null,
  -- When the present building was asked for: its history ends here.
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  extensions_used integer not null default 0,
  -- Set once, never unset: for everyone outside the sandbox is gone from here on.
  removing_at timestamptz,
  idempotency_key text,
  request_hash bytea not null,
  unique (developer_id, idempotency_key)
);
create index sandboxes_by_developer on sandboxes (developer_id, created_at desc, id);
create index sandboxes_with_work on sandboxes (requested_at) where removing_at is not null or status = 'provisioning';
create index sandboxes_by_expiry on sandboxes (expires_at) where removing_at is null;
