-- checksum aab59a9e297783a01a41a23d14fd76dd781378dc789d64ee813309d64c9fe3f3, statements 394387f891aef4de
-- The secrets of webhooks are encrypted with a key that is not in the database. When a stack starts, it encrypts the
-- secrets that are not encrypted yet, and sets `secret` and `previous_secret` to null. `secret_start` is the beginning
-- of the secret, which responses show.
alter table webhooks add column sealed_secret bytea;
alter table webhooks add column sealed_previous_secret bytea;
alter table webhooks add column secret_start text;
alter table webhooks alter column secret drop not null;
