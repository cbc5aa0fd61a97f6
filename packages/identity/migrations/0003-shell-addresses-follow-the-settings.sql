-- checksum 402ea2fd43157b75296bf3eb8e2e2cdb3c310931b5748b00d6cf3e6263f1868b, statements 7f6ad8f06244da8a
-- The address and the display name of a shell are computed from its client id and the current settings of the service,
-- so they are not stored. Dropping `origin` also drops its check constraint.
alter table identity_clients drop column origin, drop column redirect_uris;
update identity_clients set name = '' where kind = 'shell';
