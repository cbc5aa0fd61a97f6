-- The random texts that leaders of this control database wrote to database servers, when they began to use them. A server
-- with a text that is not here was used by another control database since: this one is a copy, or was restored.
create table server_generations (
  generation text primary key,
  server_id text not null,
  id bigint generated always as identity
);
create index server_generations_by_server on server_generations (server_id, id);
