-- Since when the operator keeps a sandbox closed, and the reason for its callers.
alter table sandboxes add column suspended_at timestamptz;
alter table sandboxes add column suspension_reason text;
-- The sandbox was suspended with the account of its owner, and is resumed with it.
alter table sandboxes add column suspended_with_owner boolean not null default false;
create index sandboxes_suspended on sandboxes (id) where suspended_at is not null;

-- Since when the operator refuses a developer: sessions, tokens and keys.
alter table developers add column disabled_at timestamptz;
-- Tokens that were issued until then stay refused when the account is enabled again.
alter table developers add column tokens_revoked_at timestamptz;
-- Not validated, because that would read the whole log, and all rows have one of the reasons before.
alter table key_audit drop constraint key_audit_reason_check;
alter table key_audit add constraint key_audit_reason_check
  check (reason in ('revoked', 'expired', 'unknown', 'out_of_scope', 'account_disabled')) not valid;

-- What the operator commands changed, by whom. It outlives what they changed, so it refers to nothing.
create table operator_audit (
  id bigint generated always as identity,
  at timestamptz not null default now(),
  operator text not null,
  command text not null,
  subject text,
  details jsonb not null default '{}',
  -- Old rows are found by it, as in key_audit.
  primary key (at, id)
);
create index operator_audit_newest_first on operator_audit (id desc);
create trigger operator_audit_append_only before update or delete or truncate on operator_audit
  for each statement execute function refuse_audit_change();

-- What operator commands want the running service to do; the service adds the answer.
create table operator_requests (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('stop_stack', 'list_stacks')),
  sandbox_id text,
  requested_at timestamptz not null default now(),
  answer jsonb
);
