-- checksum 0e763e09894feb8fb7254e6f4f89ef1504fea0bb04616606dea3bfa38aa7e976, statements 71cce7c6b22bc221
-- The developer who owns the sandbox, if this is the account of that developer in the sandbox; null for other accounts.
-- The developer signs in to the account with a link from the portal. Nobody knows the password of the account, and
-- administrators of the sandbox cannot change the account.
alter table identity_accounts add column owner_id text;
create unique index identity_accounts_owner on identity_accounts (owner_id, organization_id) where owner_id is not null;
