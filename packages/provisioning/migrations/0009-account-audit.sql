-- Who created, changed and removed accounts of sandboxes. It outlives the accounts, so it does not refer to them.
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
  -- Old rows are found by it, as in key_audit.
  primary key (at, id)
);
create index account_audit_by_tenant on account_audit (tenant_id, id desc);
create trigger account_audit_append_only before update or delete or truncate on account_audit
  for each statement execute function refuse_audit_change();
