-- checksum a5ea945773c759fb4ca9f3efc8c5715deca1280149343dc2c34518a7f988dc0a, statements fc12f24095c17eea
-- A leader writes a random text, the generation, to this table and to a database server when it begins to use the
-- server. If a server has a generation that is not in this table, another control database has used the server since:
-- this control database is a copy, or was restored from a backup.
create table server_generations (
  generation text primary key,
  server_id text not null,
  id bigint generated always as identity
);
create index server_generations_by_server on server_generations (server_id, id);
