-- Where a sandbox's shell is follows from its client id and the settings of the service, whatever they were when it was
-- registered; so does the name that people see. The constraint on the origin goes with its column.
alter table identity_clients drop column origin, drop column redirect_uris;
update identity_clients set name = '' where kind = 'shell';
