-- checksum c58e00b194d7780611d1d2ecc44e40e830d9ab8f98e2cc11559481377e27488e, statements 948a0503d23b6b9a
-- Subscriptions to events.
create table webhooks (
  id uuid primary key,
  url text not null,
  events text[] not null,
  -- The buildings that the creator of the webhook may access: only their events are sent. Null: all buildings.
  building_ids text[],
  secret text not null,
  -- The secret before the last rotation. Requests are signed with both secrets until the given time.
  previous_secret text,
  previous_secret_until timestamptz,
  status text not null default 'active' check (status in ('active', 'paused')),
  -- `failures`: after too many failed attempts, only one event an hour is sent, as a probe. `person`: nothing is sent.
  paused_by text check (paused_by in ('failures', 'person')),
  paused_at timestamptz,
  probe_at timestamptz,
  consecutive_failures integer not null default 0,
  created_at timestamptz not null,
  check ((status = 'paused') = (paused_by is not null))
);

-- A number that changes when a webhook is created or deleted, or its events change. A process prepares events for the
-- subscriptions that it knows, and its insert statement checks that their version is still the current one.
create table webhooks_version (
  is_only boolean primary key default true check (is_only),
  version bigint not null
);
insert into webhooks_version (version) values (1);
create function move_webhooks_version() returns trigger language plpgsql as $$
begin
  update webhooks_version set version = version + 1;
  return null;
end $$;
create trigger webhooks_version after insert or delete or update of events on webhooks
  for each statement execute function move_webhooks_version();

-- Events to deliver. `body` is the JSON text that all webhooks receive.
create table outbound_events (
  id uuid primary key,
  event text not null,
  body bytea not null,
  created_at timestamptz not null
);
alter table outbound_events alter column body set storage external;

create table webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  webhook_id uuid not null references webhooks on delete cascade,
  -- No foreign key, because checking it would be a fifth of the database time of a delivery. An event is inserted
  -- together with its deliveries, and deleted when it has no delivery left.
  event_id uuid not null,
  idempotency_key uuid not null default gen_random_uuid(),
  state text not null default 'pending' check (state in ('pending', 'succeeded', 'dead_letter')),
  is_probe boolean not null default false,
  -- The number of attempts that were started, and its maximum.
  attempts integer not null default 0,
  most_attempts integer not null,
  -- For a pending delivery: when the next attempt is due, and until when the process that claimed it has its lease.
  next_attempt_at timestamptz not null,
  leased_until timestamptz,
  created_at timestamptz not null
  -- Leaves free space in the pages, so that claims are HOT updates, which do not write to the indexes.
) with (fillfactor = 60);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at) where state = 'pending';
create index webhook_deliveries_event on webhook_deliveries (event_id);

create table webhook_attempts (
  id bigint generated always as identity primary key,
  delivery_id uuid not null,
  webhook_id uuid not null,
  attempt integer not null,
  status text not null check (status in ('succeeded', 'failed', 'dead_letter')),
  http_code integer,
  response_body text,
  error text,
  duration_ms integer not null,
  attempted_at timestamptz not null,
  next_attempt_at timestamptz
);
create index webhook_attempts_newest on webhook_attempts (webhook_id, attempted_at desc, id desc);
create index webhook_attempts_delivery on webhook_attempts (delivery_id);
