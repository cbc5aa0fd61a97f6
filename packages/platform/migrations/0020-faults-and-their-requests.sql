-- The fault that a request is about. No foreign key, like the other places of a request.
alter table service_requests add column fault_id uuid;
create index service_requests_fault on service_requests (fault_id) where fault_id is not null;

-- A rule can be limited to points with this name, such as "Zone temperature".
alter table fault_rules add column point_name text;
