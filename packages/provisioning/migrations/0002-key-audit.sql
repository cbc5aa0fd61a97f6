-- checksum 79f530af2d944f91c492e45410e5832019a4a051e442c5f4cc00cb5d647712ca, statements 4c5ae43a6a170461
-- The email address is null if a developer of an external identity provider has none, or if another developer already
-- has the same address.
alter table developers alter column email drop not null;

alter table api_keys add column last_used_at timestamptz;

-- The audit log of API keys. No foreign keys, because rows are kept when keys and organizations are deleted.
create table key_audit (
  id bigint generated always as identity,
  at timestamptz not null,
  -- Null if the sent text is not a known key. Only the operator sees these rows.
  organization_id text,
  action text not null check (action in ('key.issued', 'key.used', 'key.revoked')),
  outcome text not null check (outcome in ('allowed', 'denied')),
  reason text check (reason in ('revoked', 'expired', 'unknown', 'out_of_scope')),
  key_id text,
  actor text,
  scope text,
  expires_at timestamptz,
  method text,
  route text,
  status integer,
  source_ip text,
  user_agent text,
  -- Retention finds old rows by this key. If the key were the id alone, the planner might use its index to list the
  -- rows of one organization in order, and read the rows of all other organizations too.
  primary key (at, id)
);
create index key_audit_by_organization on key_audit (organization_id, id desc) where organization_id is not null;
create index key_audit_by_key on key_audit (key_id, id desc) where key_id is not null;
-- For lists of created and revoked keys, which are few among many uses.
create index key_audit_of_changes on key_audit (organization_id, id desc) where action <> 'key.used';
create index key_audit_of_nobody on key_audit (id desc) where organization_id is null;

-- Refuses updates, truncates and deletes, except the deletes of retention, which sets storey.removing_old_audit.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('storey.removing_old_audit', true) = 'on' then
    return null;
  end if;
  raise exception 'the audit is append-only';
end
$$;
create trigger key_audit_append_only before update or delete or truncate on key_audit
  for each statement execute function refuse_audit_change();
