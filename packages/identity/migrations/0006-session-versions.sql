-- Sessions, codes and refresh tokens are valid only if the account had this version when the user signed in. Ending all
-- sessions of an account increments its version. So sign-ins and requests that are in progress at that time fail too.
alter table identity_accounts add column session_version integer not null default 0;
