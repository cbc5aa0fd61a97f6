/**
 * The key of the PostgreSQL advisory lock of the leader: an arbitrary number, the same in all control planes. On
 * Kubernetes all of them hold the lock at once, and one leads under a lease.
 */
export const LEADER_LOCK = 7_305_030
/** The application name of the connection that holds the lock. */
export const LEADER_NAME = 'storey-leader'
