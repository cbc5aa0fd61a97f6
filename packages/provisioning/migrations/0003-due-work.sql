-- When a sandbox's stack next has something to do by itself, as it said before it was stopped: it is woken for it.
alter table sandboxes add column due_at timestamptz;
-- Since when the stack runs. Where it is still set although none runs, the stack was cut off, and had no chance to say
-- what is due: it is woken and asked.
alter table sandboxes add column running_since timestamptz;
create index sandboxes_with_due_work on sandboxes (due_at) where due_at is not null or running_since is not null;

-- People and programs of a sandbox whose tokens are good no more, kept for as long as such a token can live.
create table revoked_subjects (
  sandbox_id text not null references sandboxes on delete cascade,
  subject text not null,
  revoked_at timestamptz not null,
  primary key (sandbox_id, subject)
);
