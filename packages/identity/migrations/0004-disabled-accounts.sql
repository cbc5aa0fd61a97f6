-- Since when the operator has disabled the account: nobody signs in to it, and it gets no tokens.
alter table identity_accounts add column disabled_at timestamptz;
