-- checksum 2be21b5fa37d61a08f54d6381ec7fc6ed130745a485420e37082f7a4baea76fd, statements 5d908e28aabbba54
-- When the stack of the sandbox next has due work, as the stack reported before it stopped. It is started again in time
-- for that work.
alter table sandboxes add column due_at timestamptz;
-- When the stack was started. If this time is set although no stack runs, the stack ended without reporting its due
-- work. The stack is then started and asked for it.
alter table sandboxes add column running_since timestamptz;
create index sandboxes_with_due_work on sandboxes (due_at) where due_at is not null or running_since is not null;

-- Accounts of a sandbox whose tokens are refused if the tokens were issued at `revoked_at` or before. Rows are kept for
-- as long as such a token could be valid.
create table revoked_subjects (
  sandbox_id text not null references sandboxes on delete cascade,
  subject text not null,
  revoked_at timestamptz not null,
  primary key (sandbox_id, subject)
);
