-- Everyone who can sign in: developers, and the accounts of sandboxes.
create table identity_accounts (
  realm text not null check (realm in ('developers', 'sandboxes')),
  -- The subject of the account's tokens.
  id text not null,
  -- A developer's organization, or the organization inside the sandbox: the tenant.
  organization_id text not null,
  email text not null check (email = lower(email)),
  roles text[] not null default '{}',
  password text not null,
  -- The password was given out by someone else: the first sign-in must choose another.
  password_is_one_time boolean not null,
  created_at timestamptz not null,
  primary key (realm, id)
);
create unique index identity_accounts_by_developer on identity_accounts (email) where realm = 'developers';
create unique index identity_accounts_by_tenant on identity_accounts (organization_id, email) where realm = 'sandboxes';

-- Clients of the sandboxes realm; those of the developers realm never change and stand in the code.
create table identity_clients (
  client_id text primary key,
  kind text not null check (kind in ('shell', 'service-account')),
  -- The subject of a service account's tokens.
  id text not null unique,
  tenant_id text not null,
  name text not null,
  roles text[] not null default '{}',
  secret_hash bytea check (length(secret_hash) = 32),
  origin text,
  redirect_uris text[] not null default '{}',
  created_at timestamptz not null,
  check ((kind = 'service-account') = (secret_hash is not null)),
  check ((kind = 'shell') = (origin is not null))
);
create index identity_clients_by_tenant on identity_clients (tenant_id, created_at);

-- What the providers remember: sessions, interactions, grants, codes, refresh tokens. Many of their ids are
-- credentials, so ids are kept as a keyed hash, and payloads are encrypted: a copy of this table opens nothing.
create table identity_models (
  realm text not null,
  model text not null,
  id bytea not null,
  payload bytea not null,
  grant_id text,
  account_id text,
  client_id text,
  uid bytea,
  user_code bytea,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  consumed_at timestamptz,
  polled_at timestamptz,
  primary key (realm, model, id)
);
create index identity_models_by_grant on identity_models (grant_id);
create index identity_models_by_account on identity_models (account_id);
create index identity_models_by_client on identity_models (client_id);
create index identity_models_by_uid on identity_models (uid);
create index identity_models_by_user_code on identity_models (user_code);
create index identity_models_by_expiry on identity_models (expires_at);

create table identity_keys (
  realm text not null,
  kid text not null,
  sealed bytea not null,
  created_at timestamptz not null,
  -- Published before it signs, so that whoever keeps the key set for a while knows it by then.
  signs_from timestamptz not null,
  primary key (realm, kid)
);

-- Failures within a window of time. The subject is a keyed hash: people type passwords into the wrong field.
create table identity_attempts (
  subject bytea primary key,
  failures integer not null,
  window_ends_at timestamptz not null
);
