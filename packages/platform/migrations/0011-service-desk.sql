-- Requests of people who use a building. Lists and searches are answered from memory (features/service-desk), which
-- follows the two times below: they are what the indexes are for.
create table service_requests (
  id uuid primary key,
  -- For people to say: SR-000123.
  number bigint generated always as identity unique,
  -- No foreign key: it would wait for whoever changes the graph, and all other changes of the desk with it.
  building_id uuid not null,
  title text not null,
  description text,
  category text not null,
  priority text not null,
  state text not null,
  -- Where it is. A request outlives the nodes it names.
  space_id uuid,
  storey_id uuid,
  element_id uuid,
  assigned_user_id text,
  assigned_team_id text,
  reporter text not null,
  work_order_ids text[] not null default '{}',
  created_at timestamptz not null,
  -- Of the last change. No two changes of the desk share it: see service_desk_clock.
  updated_at timestamptz not null unique,
  due_at timestamptz not null,
  -- Since when the clock rests: on hold, or done.
  rested_at timestamptz,
  -- What was told of this due time.
  warned boolean not null default false,
  breached boolean not null default false,
  -- When the next thing is to be told: the warning, then the breach.
  alert_at timestamptz,
  -- Title, description and number, folded for searches; and the change that last touched them.
  words text not null,
  words_at timestamptz not null unique
);
create index service_requests_alert on service_requests (alert_at) where alert_at is not null;

create table service_request_comments (
  id uuid primary key,
  request_id uuid not null references service_requests on delete cascade,
  text text not null,
  author text not null,
  created_at timestamptz not null
);
create index service_request_comments_list on service_request_comments (request_id, created_at);

-- The time of the last change of all: changes take turns at it, so that they become visible in the order of their times.
create table service_desk_clock (
  is_only boolean primary key default true check (is_only),
  last_at timestamptz not null
);
insert into service_desk_clock (last_at) values ('-infinity');
