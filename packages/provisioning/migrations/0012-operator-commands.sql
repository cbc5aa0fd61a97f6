-- checksum 6c5e881a1e92807e4ed5b7f2dbfb5a60024d3dd1a0af55e59648cc6428c48af2, statements 99eba000a3b8548e
-- When the operator suspended the sandbox, and the reason that callers get; null: it is not suspended.
alter table sandboxes add column suspended_at timestamptz;
alter table sandboxes add column suspension_reason text;
-- Whether the sandbox was suspended because its owner's account was disabled. Such a sandbox is resumed when the
-- account is enabled.
alter table sandboxes add column suspended_with_owner boolean not null default false;
create index sandboxes_suspended on sandboxes (id) where suspended_at is not null;

-- When the operator disabled the account of the developer: its sessions, tokens and keys are refused. Null: it is
-- enabled.
alter table developers add column disabled_at timestamptz;
-- Tokens that were issued until this time are refused, also after the account is enabled again.
alter table developers add column tokens_revoked_at timestamptz;
-- Not validated: that would read the whole table, and all existing rows satisfy the constraint.
alter table key_audit drop constraint key_audit_reason_check;
alter table key_audit add constraint key_audit_reason_check
  check (reason in ('revoked', 'expired', 'unknown', 'out_of_scope', 'account_disabled')) not valid;

-- The audit log of operator commands. No foreign keys, because rows are kept when what a command changed is deleted.
create table operator_audit (
  id bigint generated always as identity,
  at timestamptz not null default now(),
  operator text not null,
  command text not null,
  subject text,
  details jsonb not null default '{}',
  -- Retention finds old rows by this key, as in key_audit.
  primary key (at, id)
);
create index operator_audit_newest_first on operator_audit (id desc);
create trigger operator_audit_append_only before update or delete or truncate on operator_audit
  for each statement execute function refuse_audit_change();

-- Requests of operator commands to the running service, which writes the answer.
create table operator_requests (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('stop_stack', 'list_stacks')),
  sandbox_id text,
  requested_at timestamptz not null default now(),
  answer jsonb
);
