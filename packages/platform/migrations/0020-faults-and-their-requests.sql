-- checksum cef5a6bb89f37db399fd01f739e9f87d294cbc1edab7f70359afc84fd8166fe8, statements 8a08a7d0a432c9e3
-- The fault that a request is about. It has no foreign key, like the location of a request (0011).
alter table service_requests add column fault_id uuid;
create index service_requests_fault on service_requests (fault_id) where fault_id is not null;

-- Limits a rule to points with this name, such as "Zone temperature"; null: any name.
alter table fault_rules add column point_name text;
