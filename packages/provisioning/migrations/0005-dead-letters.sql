-- checksum 589d8cbf951bf6ca53a7f1ac281855e411270d6aacde744815e6acc62681ba19, statements 9c5fcfff4f2404ee
-- MQTT messages at which our own code failed several times. They are stored before they are acknowledged, so that the
-- operator can examine and resend them.
create table dead_letters (
  id text primary key check (id ~ '^dlt_[a-z0-9]+$'),
  sandbox_id text not null references sandboxes on delete cascade,
  topic text not null,
  payload bytea not null,
  -- SHA-256 of the payload. A message that is received again, because its acknowledgement was lost, updates its row.
  digest bytea not null check (length(digest) = 32),
  reason text not null,
  request_id text,
  first_failed_at timestamptz not null,
  last_failed_at timestamptz not null,
  attempts integer not null,
  -- Set by the operator. The service sets it to null when the resend failed.
  resend_requested_at timestamptz,
  unique (sandbox_id, digest)
);
create index dead_letters_to_resend on dead_letters (resend_requested_at) where resend_requested_at is not null;
