-- checksum 9024a6c81522290d2801b9cbd0a926a7dae2fc46f32ca7c3f206fe81a28b7955, statements dee879dec23db058
-- Service requests. Lists and searches are served from memory (src/features/service-desk/request-index.ts). Before each
-- list or search, the rows that changed since the last read are loaded: those with a later `updated_at` and, for a
-- search, those with a later `words_at`. The unique indexes of these columns find them.
create table service_requests (
  id uuid primary key,
  -- The number that people see, as in SR-000123.
  number bigint generated always as identity unique,
  -- No foreign key: an insert would wait while the graph of the building is edited, and so would all other desk
  -- transactions, because only one runs at a time.
  building_id uuid not null,
  title text not null,
  description text,
  category text not null,
  priority text not null,
  state text not null,
  -- The location. No foreign keys: a request is kept when these nodes are deleted.
  space_id uuid,
  storey_id uuid,
  element_id uuid,
  assigned_user_id text,
  assigned_team_id text,
  reporter text not null,
  work_order_ids text[] not null default '{}',
  created_at timestamptz not null,
  -- The time of the last change. No two changes have the same time: see service_desk_clock.
  updated_at timestamptz not null unique,
  due_at timestamptz not null,
  -- Since when the SLA clock is paused, because the request is on hold or done; null: it runs.
  rested_at timestamptz,
  -- Whether the warning and the breach of the current due time were published.
  warned boolean not null default false,
  breached boolean not null default false,
  -- When the next alert is due: the warning, then the breach; null: none.
  alert_at timestamptz,
  -- The words of title, description and number, normalized for search (case, accents), and the time of their last
  -- change.
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

-- The time of the last change of any request. Every change updates this row first, which locks it until the commit: so
-- changes become visible in the order of their times.
create table service_desk_clock (
  is_only boolean primary key default true check (is_only),
  last_at timestamptz not null
);
insert into service_desk_clock (last_at) values ('-infinity');
