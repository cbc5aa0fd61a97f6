-- Secrets of webhooks are kept sealed, with a key that is not in the database. A stack seals what it finds unsealed when
-- it starts; `secret` and `previous_secret` are empty from then on. What reads show of a secret stands beside it.
alter table webhooks add column sealed_secret bytea;
alter table webhooks add column sealed_previous_secret bytea;
alter table webhooks add column secret_start text;
alter table webhooks alter column secret drop not null;
