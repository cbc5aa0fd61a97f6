-- checksum cd84504d8e7d6b09cdc4c15a3ae0e3dd0978a6edb876d77fd08784161208e208, statements d744b1619c5e4b9d
-- The text no longer names a cause, because the database may also have been on a server that was removed.
update sandboxes set failure_reason = 'The database of the sandbox is missing. Ask the operator to restore it, or reset or delete the sandbox'
  where failure_reason = 'The database of the sandbox is missing. It was probably deleted after the backup that was restored: reset or delete the sandbox';
