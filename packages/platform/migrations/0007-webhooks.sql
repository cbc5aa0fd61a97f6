-- Who wants to be told of what.
create table webhooks (
  id uuid primary key,
  url text not null,
  events text[] not null,
  -- The buildings that whoever subscribed may reach; null: all of them.
  building_ids text[],
  secret text not null,
  -- The secret before the last rotation, and until when it signs too.
  previous_secret text,
  previous_secret_until timestamptz,
  status text not null default 'active' check (status in ('active', 'paused')),
  -- By failures: an event is let through now and then, as a probe. By a person: nothing is sent.
  paused_by text check (paused_by in ('failures', 'person')),
  paused_at timestamptz,
  probe_at timestamptz,
  consecutive_failures integer not null default 0,
  created_at timestamptz not null,
  check ((status = 'paused') = (paused_by is not null))
);

-- Moves when a subscription comes, goes or wants other events. Whoever prepares events knows the version it prepared
-- them for, and its own statement finds out whether that is still the present one.
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

-- What happened, as the bytes that every subscriber gets.
create table outbound_events (
  id uuid primary key,
  event text not null,
  body bytea not null,
  created_at timestamptz not null
);
alter table outbound_events alter column body set storage external;

-- It is written with its event and deleted before it, in statements of their own: a constraint would look at each row
-- again, which takes a fifth of what a delivery costs.
create table webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  webhook_id uuid not null references webhooks on delete cascade,
  event_id uuid not null,
  idempotency_key uuid not null default gen_random_uuid(),
  state text not null default 'pending' check (state in ('pending', 'succeeded', 'dead_letter')),
  is_probe boolean not null default false,
  -- Begun, and how many there may be.
  attempts integer not null default 0,
  most_attempts integer not null,
  -- While it is pending: when it is due, and until when whoever claimed it is at it.
  next_attempt_at timestamptz not null,
  leased_until timestamptz,
  created_at timestamptz not null
  -- Room for the row that a claim writes, beside the old one: no index is touched.
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
