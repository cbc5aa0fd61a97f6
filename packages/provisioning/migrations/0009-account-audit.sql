-- checksum 6d6c02ae1b4a40300045d4b70fb607be18c89d5a9d919e03f9de1260c97a25d1, statements 44838ab7f4de540d
-- The audit log of the accounts of sandboxes. No foreign keys, because rows are kept when accounts are deleted.
create table account_audit (
  id bigint generated always as identity,
  at timestamptz not null,
  tenant_id text not null,
  action text not null
    check (action in ('account.created', 'account.roles_changed', 'account.password_reset', 'account.removed')),
  actor text not null,
  account_id text not null,
  email text not null,
  roles_before text[],
  roles_after text[],
  source_ip text,
  user_agent text,
  -- Retention finds old rows by this key, as in key_audit.
  primary key (at, id)
);
create index account_audit_by_tenant on account_audit (tenant_id, id desc);
create trigger account_audit_append_only before update or delete or truncate on account_audit
  for each statement execute function refuse_audit_change();
