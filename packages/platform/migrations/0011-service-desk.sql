-- Requests of people who use a building.
create table service_requests (
  id uuid primary key,
  -- For people to say: SR-000123.
  number bigint generated always as identity unique,
  building_id uuid not null references buildings,
  title text not null,
  description text,
  category text collate "C" not null,
  priority text collate "C" not null,
  state text collate "C" not null,
  -- Where it is. A request outlives the nodes it names.
  space_id uuid,
  storey_id uuid,
  element_id uuid,
  assigned_user_id text collate "C",
  assigned_team_id text collate "C",
  reporter text not null,
  work_order_ids text[] not null default '{}',
  created_at timestamptz not null,
  -- No two changes of the desk share it: see service_desk_clock.
  updated_at timestamptz not null,
  due_at timestamptz not null,
  -- Since when the clock rests: on hold, or done.
  rested_at timestamptz,
  -- What was told of this due time.
  warned boolean not null default false,
  breached boolean not null default false,
  -- From when it is overdue as things stand; null when time cannot make it so.
  late_at timestamptz,
  -- When the next thing is to be told: the warning, then the breach.
  alert_at timestamptz
) with (
  -- Counts and deep pages read indexes alone, which needs pages that are known to be visible to all.
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.02
);

-- Lists come by the time of the last change. Each index carries what else is filtered by, so that it answers alone.
create unique index service_requests_updated on service_requests (updated_at)
  include (building_id, state, priority, category, late_at);
create index service_requests_state on service_requests (state, updated_at)
  include (building_id, priority, category, late_at);
create index service_requests_user on service_requests (assigned_user_id, updated_at)
  include (building_id, state, priority, category, late_at) where assigned_user_id is not null;
create index service_requests_team on service_requests (assigned_team_id, updated_at)
  include (building_id, state, priority, category, late_at) where assigned_team_id is not null;
create index service_requests_space on service_requests (space_id, updated_at)
  include (building_id, state, priority, category, late_at) where space_id is not null;
create index service_requests_storey on service_requests (storey_id, updated_at)
  include (building_id, state, priority, category, late_at) where storey_id is not null;
create index service_requests_element on service_requests (element_id, updated_at)
  include (building_id, state, priority, category, late_at) where element_id is not null;
create index service_requests_late on service_requests (late_at, updated_at)
  include (building_id, state, priority, category) where late_at is not null;
create index service_requests_alert on service_requests (alert_at) where alert_at is not null;

-- The keys of folded words (features/service-desk/search-words.ts): where a match can begin, 16 letters from there, or
-- 3 of a script without spaces; and how each word begins. A tsvector has an end, which 10,000 of them do not reach.
-- Its cost is a lie that keeps the planner from asking it row by row.
create function request_keys(words text) returns tsvector
  language sql immutable strict parallel safe cost 1000000
return (
  with runs as (
    select run from unnest(string_to_array(words, ' ')) as run where run <> ''
  ), keys as (
    select substr(run, i, 16) as key from (select ltrim(run, '~') from runs where run not like '|%') as spaced (run)
      cross join generate_series(1, length(run) - 2) as i
    union
    select substr(run, i, 3) from runs cross join generate_series(2, length(run)) as i where run like '|%'
    union
    select '^' || left(run, n) from runs cross join generate_series(1, 2) as n where run not like '|%' and run not like '~%'
    limit 10000
  )
  select array_to_tsvector(array_agg(key)) from keys
);

-- What a search asks: the words, and copies of what else is filtered by, so that a search reads one narrow table. No
-- index is on the copies: to change them touches none of the 300 keys that a request has, which in an index of
-- service_requests would be written anew with every change.
create table service_request_search (
  number bigint primary key references service_requests (number) on delete cascade,
  building_id uuid not null,
  category text collate "C" not null,
  priority text collate "C" not null,
  state text collate "C" not null,
  space_id uuid,
  storey_id uuid,
  element_id uuid,
  assigned_user_id text collate "C",
  assigned_team_id text collate "C",
  updated_at timestamptz not null,
  late_at timestamptz,
  -- Of title, description and number.
  words text collate "C" not null
) with (
  -- The words stand beside the row, which stays narrow.
  toast_tuple_target = 128,
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.05
);
alter table service_request_search
  alter column category set storage main,
  alter column priority set storage main,
  alter column state set storage main,
  alter column assigned_user_id set storage main,
  alter column assigned_team_id set storage main;
create index service_request_search_keys on service_request_search using gin (request_keys(words))
  with (fastupdate = off);
-- Figures about keys would take the making of them for 30,000 rows.
alter index service_request_search_keys alter column 1 set statistics 0;

-- How many requests there are of each sort: counting 100,000 for the total of a page takes 10 ms.
create table service_request_counts (
  building_id uuid not null references buildings,
  state text collate "C" not null,
  priority text collate "C" not null,
  category text collate "C" not null,
  count bigint not null,
  primary key (building_id, state, priority, category)
);
create function count_service_requests() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    insert into service_request_counts as known
    select building_id, state, priority, category, -count(*) from gone group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (building_id, state, priority, category) do update set count = known.count + excluded.count;
  end if;
  if tg_op <> 'DELETE' then
    insert into service_request_counts as known
    select building_id, state, priority, category, count(*) from come group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (building_id, state, priority, category) do update set count = known.count + excluded.count;
  end if;
  return null;
end
$$;
create trigger count_inserted after insert on service_requests
  referencing new table as come for each statement execute function count_service_requests();
create trigger count_updated after update on service_requests
  referencing old table as gone new table as come for each statement execute function count_service_requests();
create trigger count_deleted after delete on service_requests
  referencing old table as gone for each statement execute function count_service_requests();

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
