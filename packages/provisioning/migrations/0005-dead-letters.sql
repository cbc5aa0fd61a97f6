-- Messages over MQTT at which our own code failed again and again: kept before they are acknowledged, for the operator to
-- look at and to send again.
create table dead_letters (
  id text primary key check (id ~ '^dlt_[a-z0-9]+$'),
  sandbox_id text not null references sandboxes on delete cascade,
  topic text not null,
  payload bytea not null,
  -- A message whose acknowledgement was lost comes again: it is the same letter.
  digest bytea not null check (length(digest) = 32),
  reason text not null,
  request_id text,
  first_failed_at timestamptz not null,
  last_failed_at timestamptz not null,
  attempts integer not null,
  -- Set by the operator, unset by the service when it has tried.
  resend_requested_at timestamptz,
  unique (sandbox_id, digest)
);
create index dead_letters_to_resend on dead_letters (resend_requested_at) where resend_requested_at is not null;
