-- The developer who owns the sandbox and signs in to this account with a link. Nobody has a password for it, and
-- administrators of the sandbox cannot change it.
alter table identity_accounts add column owner_id text;
create unique index identity_accounts_owner on identity_accounts (owner_id, organization_id) where owner_id is not null;
