-- checksum 94856966945cca72c22e932b08d7a29aff7beff6c28881f3fad98072bc546020, statements ba6ae0741ea3a02c
-- When the operator disabled the account; null: it is enabled. A disabled account cannot sign in and gets no tokens.
alter table identity_accounts add column disabled_at timestamptz;
