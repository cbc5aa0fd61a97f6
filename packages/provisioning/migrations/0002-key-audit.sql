-- A developer of another identity provider may have no address, or one that another developer has already.
alter table developers alter column email drop not null;

alter table api_keys add column last_used_at timestamptz;

-- What was done with keys, by whom. It outlives the keys and the organizations, so it refers to neither.
create table key_audit (
  id bigint generated always as identity,
  at timestamptz not null,
  -- Null for a use of a text that is nobody's key: only the operator sees it.
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
  -- Old rows are found by it. An index on the id alone would lure the planner into walking past other organizations.
  primary key (at, id)
);
create index key_audit_by_organization on key_audit (organization_id, id desc) where organization_id is not null;
create index key_audit_by_key on key_audit (key_id, id desc) where key_id is not null;
-- Issuances and revocations are few among many uses.
create index key_audit_of_changes on key_audit (organization_id, id desc) where action <> 'key.used';
create index key_audit_of_nobody on key_audit (id desc) where organization_id is null;

-- Rows are added and, past their time, removed; nothing else happens to them.
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
