-- The reason for which a sandbox failed no longer names a cause: a database may also be on a server that was removed.
update sandboxes set failure_reason = 'The database of the sandbox is missing. Ask the operator to restore it, or reset or delete the sandbox'
  where failure_reason = 'The database of the sandbox is missing. It was probably deleted after the backup that was restored: reset or delete the sandbox';
