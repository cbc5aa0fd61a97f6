-- Requests of people who use a building.
create table service_requests (
  id uuid primary key,
  number bigint generated always as identity unique,
  building_id uuid not null references buildings on delete cascade,
  title text not null,
  description text,
  category text not null,
  priority text not null,
  state text not null,
  space_id uuid,
  storey_id uuid,
  element_id uuid,
  assigned_user_id text,
  assigned_team_id text,
  reporter text not null,
  work_order_ids text[] not null default '{}',
  due_at timestamptz not null,
  warn_at timestamptz not null,
  -- Since when the clock rests.
  held_at timestamptz,
  warned boolean not null default false,
  breached boolean not null default false,
  resolved_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table service_request_comments (
  id uuid primary key,
  request_id uuid not null references service_requests on delete cascade,
  text text not null,
  author text not null,
  created_at timestamptz not null
);
create index service_request_comments_request on service_request_comments (request_id, created_at);

-- The time of the last change of all: changes take turns at it, so that they become visible in the order of their times.
create table service_desk_clock (
  is_only boolean primary key default true check (is_only),
  last_at timestamptz not null
);
insert into service_desk_clock (last_at) values ('-infinity');
