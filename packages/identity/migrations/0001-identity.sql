-- checksum 7322d9c11c4a26e99df7a1c7a393078d6f9934b158c77d8cf4925a482f741530, statements 2e54b55ca1395d7c
-- Accounts that can sign in: those of developers, and those of the users of sandboxes.
create table identity_accounts (
  realm text not null check (realm in ('developers', 'sandboxes')),
  -- The `sub` claim of the account's tokens.
  id text not null,
  -- In the developers realm, the developer's organization; in the sandboxes realm, the tenant.
  organization_id text not null,
  email text not null check (email = lower(email)),
  roles text[] not null default '{}',
  password text not null,
  -- True if the password was generated: a user who signs in with it must replace it.
  password_is_one_time boolean not null,
  created_at timestamptz not null,
  primary key (realm, id)
);
create unique index identity_accounts_by_developer on identity_accounts (email) where realm = 'developers';
create unique index identity_accounts_by_tenant on identity_accounts (organization_id, email) where realm = 'sandboxes';

-- OAuth clients of the sandboxes realm. The clients of the developers realm are constants in the code.
create table identity_clients (
  client_id text primary key,
  kind text not null check (kind in ('shell', 'service-account')),
  -- For a service account, the `sub` claim of its tokens; for a shell, its client id.
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

-- The state of the OpenID providers: sessions, interactions, grants, authorization codes and refresh tokens. Many of
-- the ids are credentials, so ids are stored as keyed hashes and payloads are encrypted. A copy of this table without
-- the master secret is of no use.
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
  -- The key signs tokens from this time on. All keys but the first of a realm are published earlier, so that clients
  -- that cache the key set have the key by then.
  signs_from timestamptz not null,
  primary key (realm, kid)
);

-- Failed sign-in attempts in a window of time. The subject, such as an email address, is stored as a keyed hash,
-- because some users type their password into the wrong field.
create table identity_attempts (
  subject bytea primary key,
  failures integer not null,
  window_ends_at timestamptz not null
);
